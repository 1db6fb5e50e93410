public import Base
import Synchronization

/// Keeps one connection open. It hands it out, and makes a new one with back-off and jitter if it is lost. Refused
/// credentials are tried again too, so a corrected password needs no restart. `report` gets each failure. Each kind of
/// work has its own `Database`.
public actor Database {
    /// Reports a failed attempt: the number of failures in a row, the error, and the wait before the next attempt.
    public typealias Report = @Sendable (_ failures: Int, _ error: PostgresError, _ wait: Duration) -> Void

    /// Checks a new connection before it is used. Throws if it must not be used yet.
    public typealias Probe = @Sendable (Connection) async throws(PostgresError) -> Void

    private let configuration: ConnectionConfiguration
    private let backoff: Backoff
    private let afterSilence: Probe?
    private let random: @Sendable () -> Double
    private let report: Report?
    private var current: Connection?
    private var attempt: Task<Void, Never>?
    private var waiting: [UInt64: FirstAnswer<Result<Connection, PostgresError>>] = [:]
    private var lastWaiter: UInt64 = 0
    private var isClosed = false
    /// A connection was lost and not replaced yet.
    private var isReplacing = false
    /// A connection ended without an answer, and no later one has passed `afterSilence`.
    private var isAfterSilence = false

    /// When this connection replaced a lost one. Nil if it is the first.
    public private(set) var replacedAt: ContinuousClock.Instant?

    /// Makes no connection yet.
    ///
    /// - Parameters:
    ///   - afterSilence: What a connection must pass if the one before ended without an answer.
    ///   - random: A number in 0 ..< 1, for the jitter.
    public init(
        _ configuration: ConnectionConfiguration,
        backoff: Backoff = Backoff(first: 250, most: 30_000),
        afterSilence: Probe? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        report: Report? = nil
    ) {
        self.configuration = configuration
        self.backoff = backoff
        self.afterSilence = afterSilence
        self.random = random
        self.report = report
    }

    /// The connection. Without one, it waits as long as needed.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled, `notConnected` after `close`.
    public func connection() async throws(PostgresError) -> Connection {
        await current?.closeIfEnded()
        if isClosed { throw PostgresError(.notConnected) }
        if let current {
            if current.isUsable { return current }
            isReplacing = true
            if current.endedInSilence { isAfterSilence = true }
        }
        current = nil
        let answer = FirstAnswer<Result<Connection, PostgresError>>()
        lastWaiter += 1
        let id = lastWaiter
        waiting[id] = answer
        if attempt == nil { attempt = Task { await self.reconnect() } }
        let result = await withTaskCancellationHandler {
            await answer.wait()
        } onCancel: {
            answer.settle(.failure(PostgresError(.cancelled)))
        }
        waiting[id] = nil
        // No caller waits for a connection any more, so stop trying.
        if waiting.isEmpty, current == nil { attempt?.cancel() }
        return try result.get()
    }

    /// Closes the connection for good. Callers that wait for one get `notConnected`. May be called more than once.
    public func close() async {
        isClosed = true
        attempt?.cancel()
        settle(.failure(PostgresError(.notConnected)))
        await current?.close()
        current = nil
    }

    private func reconnect() async {
        var failures = 0
        defer {
            // A caller may have arrived after this task was cancelled. A new task then continues.
            let isWanted = !isClosed && current == nil && !waiting.isEmpty
            attempt = isWanted ? Task { await self.reconnect() } : nil
        }
        while !isClosed {
            do throws(PostgresError) {
                let connection = try await opened()
                if isClosed { return await connection.close() }
                current = connection
                if isReplacing { replacedAt = .now }
                isReplacing = false
                return settle(.success(connection))
            } catch {
                if await !pause(after: error, &failures) { return }
            }
        }
    }

    private func opened() async throws(PostgresError) -> Connection {
        let connection = try await Connection.open(configuration)
        guard isAfterSilence, let afterSilence else { return connection }
        do throws(PostgresError) {
            try await afterSilence(connection)
        } catch {
            await connection.close()
            throw error
        }
        isAfterSilence = false
        return connection
    }

    /// Waits before the next attempt. Returns false if no caller waits any more.
    private func pause(after error: PostgresError, _ failures: inout Int) async -> Bool {
        if error.code != .cancelled {
            failures += 1
            let wait = Duration.milliseconds(backoff.wait(failures: failures, random: random()))
            report?(failures, error, wait)
            try? await Task.sleep(for: wait)
        }
        return !Task.isCancelled
    }

    private func settle(_ result: Result<Connection, PostgresError>) {
        for answer in waiting.values { answer.settle(result) }
    }
}

/// The first of several answers counts. `wait` must be called only once.
final class FirstAnswer<Value: Sendable>: Sendable {
    // empty → waiting or answered. waiting → done. answered → done.
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case answered(Value)
        case done
    }

    private let state = Mutex(State.empty)

    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let ready: Value? = state.withLock { state in
                if case .answered(let value) = state {
                    state = .done
                    return value
                }
                state = .waiting(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Returns false if there was an answer already.
    @discardableResult
    func settle(_ value: Value) -> Bool {
        // The continuation is resumed after unlocking.
        let (first, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .empty:
                state = .answered(value)
                return (true, nil)
            case .waiting(let continuation):
                state = .done
                return (true, continuation)
            case .answered, .done: return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return first
    }
}
