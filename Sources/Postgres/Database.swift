import Base

/// Keeps one connection open. It hands it out, and makes a new one with back-off and jitter if it is lost. Refused
/// credentials are tried again too, so a corrected password needs no restart. `onFailure` gets the error of each failed
/// attempt. Each kind of work has its own `Database`.
public actor Database {
    /// Checks a new connection before it is used. Throws if it must not be used yet.
    public typealias Probe = @Sendable (Connection) async throws(PostgresError) -> Void

    public typealias FailureReport = @Sendable (PostgresError) -> Void

    private typealias Answers = AsyncStream<Result<Connection, PostgresError>>

    /// Reconnects within five seconds once the database is back.
    private static let backoff = Backoff(first: 100, most: 4_000)

    private let configuration: ConnectionConfiguration
    private let afterSilence: Probe?
    private let onFailure: FailureReport
    private var current: Connection?
    private var attempt: Task<Void, Never>?
    private var waiting: [UInt64: Answers.Continuation] = [:]
    private var lastWaiter: UInt64 = 0
    private var isClosed = false
    /// A connection ended without an answer, and no later one has passed `afterSilence`.
    private var isAfterSilence = false

    /// Makes no connection yet. `afterSilence`: What a connection must pass if the one before ended without an answer.
    public init(
        _ configuration: ConnectionConfiguration,
        afterSilence: Probe? = nil,
        onFailure: @escaping FailureReport = { _ in }
    ) {
        (self.configuration, self.afterSilence, self.onFailure) = (configuration, afterSilence, onFailure)
    }

    /// The connection. Without one, it waits as long as needed.
    /// - Throws: `cancelled` as soon as the task is cancelled, `notConnected` after `close`.
    public func connection() async throws(PostgresError) -> Connection {
        await current?.closeIfEnded()
        if isClosed { throw PostgresError(.notConnected) }
        if let current {
            if current.isUsable { return current }
            if current.endedInSilence { isAfterSilence = true }
        }
        current = nil
        let (answers, answer) = Answers.makeStream(bufferingPolicy: .bufferingOldest(1))
        lastWaiter += 1
        let id = lastWaiter
        waiting[id] = answer
        if attempt == nil { attempt = Task { await self.reconnect() } }
        defer {
            waiting[id] = nil
            // No caller waits for a connection any more, so stop trying.
            if waiting.isEmpty, current == nil { attempt?.cancel() }
        }
        // The first answer counts. A cancelled task gets none.
        for await result in answers { return try result.get() }
        throw PostgresError(.cancelled)
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
                return settle(.success(connection))
            } catch {
                // Without a caller that waits, it was cancelled.
                if error.code != .cancelled {
                    failures += 1
                    onFailure(error)
                    let wait = Self.backoff.wait(failures: failures, random: .random(in: 0..<1))
                    try? await Task.sleep(for: .milliseconds(wait))
                }
                if Task.isCancelled { return }
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

    private func settle(_ result: Result<Connection, PostgresError>) {
        for answer in waiting.values { answer.yield(result) }
    }
}

/// What is between nudged and the server, found by its behaviour. Poolers tell only their administrators.
public enum Pooling: Sendable, Equatable {
    /// No pooler: the process named at the connection's start is the one that answers.
    case direct
    /// A pooler that gives each client one server connection until the client leaves.
    case session
    /// A pooler that gives clients a server connection for each transaction.
    case transaction
    case statement
    /// A pooler that gave no second server connection in time.
    case exhausted

    /// The server processes that answered two clients, while the first one stayed connected.
    struct Turn: Equatable {
        let first: Int32
        let second: Int32
    }

    /// Recognises how a pooler shares its server connections. They are shared if one process answers both clients, or
    /// if the first client gets another process than before.
    init(behind turns: [Turn]) {
        let isShared = turns.contains { $0.first == $0.second } || Set(turns.map(\.first)).count > 1
        self = isShared ? .transaction : .session
    }

    /// How often to check. Without other clients once is enough: poolers use the newest free connection again.
    private static let turns = 3

    /// Finds the pooling with at most two connections of its own. Changes nothing.
    /// - Throws: Why the first connection could not be made or did not answer.
    public static func of(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> Pooling {
        try await Connection.once(configuration) { (first) async throws(PostgresError) in
            if try await processID(first) == first.namedProcessID { return .direct }
            do throws(PostgresError) {
                return try await Connection.once(configuration) { (second) async throws(PostgresError) in
                    try await shared(first, second)
                }
            } catch {
                // Only the second connection itself can fail so.
                guard error.code == .connectionFailed else { throw error }
                return .exhausted
            }
        }
    }

    private static func shared(_ first: Connection, _ second: Connection) async throws(PostgresError) -> Pooling {
        // If not even a single statement runs, other clients have all connections of the pool.
        guard (try? await processID(second)) != nil else { return .exhausted }
        var all: [Turn] = []
        do throws(PostgresError) {
            for _ in 0..<turns where all.isEmpty || Pooling(behind: all) == .session {
                all.append(Turn(first: try await processID(first), second: try await inTransaction(second)))
            }
        } catch {
            // protocol_violation: PgBouncer in statement mode closes a client that begins a transaction.
            guard error.sqlState == "08P01" else { throw error }
            return .statement
        }
        return Pooling(behind: all)
    }

    private static let question = Statement("backend_pid", sql: "select pg_backend_pid()")

    private static func processID(_ connection: Connection) async throws(PostgresError) -> Int32 {
        try await connection.run(question).int4(0, 0)
    }

    /// In two round trips, so the transaction stays open between them.
    private static func inTransaction(_ connection: Connection) async throws(PostgresError) -> Int32 {
        do {
            return try await connection.transaction { try await $0.run(question).int4(0, 0) }
        } catch { throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: question.name) }
    }
}
