/// Keeps one connection alive: hands it out, and makes a new one with backoff and jitter when it is lost. Refused
/// credentials are tried again too, so that a mended password needs no restart; `report` tells each failure. One lane of
/// work has one `Database`.
public actor Database {
    /// A failed attempt: how many there were in a row, the error, and the wait before the next.
    public typealias Report = @Sendable (_ failures: Int, _ error: PostgresError, _ wait: Duration) -> Void

    /// Asked of a new connection before it is handed out; throws where it is not to be used yet.
    public typealias Probe = @Sendable (Connection) async throws(PostgresError) -> Void

    private let open: @Sendable () async throws(PostgresError) -> Connection
    private let backoff: Backoff
    private let afterSilence: Probe?
    private let random: @Sendable () -> Double
    private let report: Report?
    private var current: Connection?
    private var attempt: Task<Void, Never>?
    private var waiting: [UInt64: FirstAnswer<Result<Connection, PostgresError>>] = [:]
    private var lastWaiter: UInt64 = 0
    private var isClosed = false
    /// One was lost, and none has taken its place.
    private var isReplacing = false
    /// One ended without an answer, and since then none has passed the probe.
    private var isAfterSilence = false

    /// When the connection took the place of a lost one; nil: it is the first.
    public private(set) var replacedAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - notices: as in `Connection.open`.
    ///   - afterSilence: what a connection must pass that takes the place of one whose answer did not come.
    ///   - random: a number in 0 ..< 1, for the jitter.
    ///   - report: called for each attempt that failed.
    public init(
        _ configuration: ConnectionConfiguration,
        backoff: Backoff = Backoff(),
        notices: (@Sendable (Notice) -> Void)? = nil,
        afterSilence: Probe? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        report: Report? = nil
    ) {
        open = { () async throws(PostgresError) in try await Connection.open(configuration, notices: notices) }
        self.backoff = backoff
        self.afterSilence = afterSilence
        self.random = random
        self.report = report
    }

    /// The connection; waits, for as long as it takes, where there is none.
    ///
    /// - Throws: `cancelled` at once when the task is; `notConnected` after `close`.
    public func connection() async throws(PostgresError) -> Connection {
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
        // Nobody wants a connection any more: stop trying.
        if waiting.isEmpty, current == nil { attempt?.cancel() }
        return try result.get()
    }

    /// Closes the connection for good; whoever waits for one gets `notConnected`. Idempotent.
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
            // Somebody may have come to wait after this task was cancelled: go on in a new one.
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

    /// A connection that may be used.
    private func opened() async throws(PostgresError) -> Connection {
        let connection = try await open()
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

    /// false: given up, as nobody waits any more.
    private func pause(after error: PostgresError, _ failures: inout Int) async -> Bool {
        if error.code != .cancelled {
            failures += 1
            let wait = backoff.delay(failures: failures, random: random())
            report?(failures, error, wait)
            try? await Task.sleep(for: wait)
        }
        guard Task.isCancelled else { return true }
        return false
    }

    private func settle(_ result: Result<Connection, PostgresError>) {
        for answer in waiting.values { answer.settle(result) }
    }
}
