import Base
import CLibPQ
import Dispatch
import Synchronization

/// One connection to PostgreSQL. The actor runs on its own queue, so waiting for the server blocks no other work.
///
/// Statements are sent in pipeline mode and leave no session state, so a connection works through a transaction pooler.
/// Only without a pooler it prepares what runs often. Calls are served in order. A cancelled task doesn't interrupt its
/// statement: the server's `statement_timeout` does. If the server doesn't answer then, the connection is closed.
public actor Connection {
    /// The time that the server gets to report its own time-out before the connection is closed.
    static let grace: Duration = .seconds(2)

    let executor = SerialQueueExecutor()
    let configuration: ConnectionConfiguration
    private var link: ServerLink?
    private let usable = Atomic<Bool>(false)
    private let silent = Atomic<Bool>(false)

    /// Whether a caller has the connection. The actor alone would admit others into an interactive transaction.
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The id of the open interactive transaction.
    var currentTransaction: UInt64?
    var lastTransaction: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether the connection is open. It answers at once, even while a statement runs.
    public nonisolated var isUsable: Bool { usable.load(ordering: .acquiring) }

    /// Whether it was closed because an answer did not come (`timedOut`). The statement may still be running.
    nonisolated var endedInSilence: Bool { silent.load(ordering: .acquiring) }

    private init(_ configuration: ConnectionConfiguration) { self.configuration = configuration }

    /// Closes the connection if the server has ended it while it was idle, so that its next user gets a new one.
    func closeIfEnded() { if !isTaken, let link, link.hasEnded() { close() } }

    private func connect() throws(PostgresError) {
        link = try ServerLink.open(configuration)
        usable.store(true, ordering: .releasing)
    }

    /// Closes the connection. An open interactive transaction fails at its next statement. May be called again.
    public func close() {
        usable.store(false, ordering: .releasing)
        link = nil
    }

    /// The process id from the start of the connection, without a pooler the server's. 0 after closing.
    var namedProcessID: Int32 { link?.processID ?? 0 }

    /// Runs one statement as its own transaction.
    ///
    /// - Parameter timeout: The server's `statement_timeout`. The connection is closed 2 s after it. Nil: the
    ///   configuration's. It starts when the statement is sent.
    /// - Throws: `refusedByServer`: the connection stays usable. `connectionLost`, `timedOut`: it does not.
    public func run(_ statement: Statement, timeout: Duration? = nil) async throws(PostgresError) -> Rows {
        try await transaction([statement], timeout: timeout)[0]
    }

    /// Runs the statements as one transaction in one flight, between BEGIN and COMMIT. An error rolls all back.
    ///
    /// - Parameters:
    ///   - afterwards: Statements of another transaction, after the first is committed, in the same flight. If one of
    ///     them fails, the first transaction stays committed.
    ///   - settings: Settings for this transaction only (`set_config(…, true)`).
    ///   - timeout: The `statement_timeout` of each statement. The whole flight has 2 s more. Nil: the configuration's.
    /// - Returns: The result of each statement, then of each of `afterwards`.
    /// - Throws: As `run`. `rolledBack` if the server answered COMMIT with a rollback.
    public func transaction(
        _ statements: [Statement],
        afterwards: [Statement] = [],
        settings: [(String, String)] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        let start = [Self.begin, self.settings(settings, timeout)]
        var all = start + statements + [Self.commit]
        let end = all.count - 1
        // What is committed must not be repeated, so `afterwards` is never prepared, and its settings have another name.
        if !afterwards.isEmpty {
            let again = self.settings(settings, timeout, named: "settings_afterwards")
            all += [Self.begin, again] + afterwards + [Self.commit]
        }
        let rows = try flight(all, preparing: 1..<end, timeout + Self.grace)
        try Self.checkCommitted(rows[end])
        // After a ROLLBACK among the statements, our COMMIT has nothing to commit but is still answered with COMMIT.
        for answer in rows[2..<end] where ["ROLLBACK", "COMMIT"].contains(answer.command) {
            let detail = "the statement ends the transaction itself"
            throw PostgresError(.rolledBack, statement: answer.statement, detail: detail)
        }
        return Array(rows[2..<end]) + rows.dropFirst(end + 3).dropLast()
    }

    /// Runs statements without parameters with the simple protocol, as one transaction. Use no `SET` without `LOCAL`, no
    /// COMMIT and no ROLLBACK. The server commits by itself, so no lock stays if this host is lost meanwhile.
    public func execute(script: String, name: String = "script", timeout: Duration? = nil) async throws(PostgresError) {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        try perform { link throws(PostgresError) in
            let deadline = Deadline(after: timeout + Self.grace)
            _ = try link.flight([Self.begin, settings([], timeout)], deadline)
            try link.script(script + "\n;\ncommit", name: name, deadline)
        }
    }

    /// Connects. Each host of the configuration has `connectTimeout`.
    /// - Throws: `connectionFailed`, or `cancelled` as soon as the task is cancelled.
    public static func open(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> Connection {
        let connection = Connection(configuration)
        typealias Answers = AsyncStream<Result<Void, PostgresError>>
        // The first answer counts.
        let (answers, answer) = Answers.makeStream(bufferingPolicy: .bufferingOldest(1))
        // libpq resolves names with the blocking getaddrinfo on the connection's queue, which nothing interrupts. So
        // this doesn't wait for it: a late connection is released. A Task could find every thread of its pool busy.
        connection.executor.perform {
            connection.assumeIsolated { isolated in
                _ = answer.yield(Result { () throws(PostgresError) in try isolated.connect() })
            }
        }
        let patience = configuration.connectTimeout + (configuration.headStart ?? .zero)
        let time = patience * configuration.attempts.count + grace
        let late = DispatchWorkItem {
            answer.yield(.failure(PostgresError(.connectionFailed, detail: "no answer in time")))
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1), execute: late)
        defer { late.cancel() }
        for await result in answers {
            try result.get()
            return connection
        }
        throw PostgresError(.cancelled)
    }

    public static func once<T: Sendable>(
        _ configuration: ConnectionConfiguration,
        _ work: (Connection) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let connection = try await open(configuration)
        let result: Result<T, PostgresError>
        do throws(PostgresError) {
            result = .success(try await work(connection))
        } catch { result = .failure(error) }
        await connection.close()
        return try result.get()
    }

    // MARK: Turns

    func takeTurn() async {
        await withCheckedContinuation { continuation in
            // Asked here: under a task executor, the call to `withCheckedContinuation` itself lets others in before.
            if isTaken {
                waiting.append(continuation)
            } else {
                isTaken = true
                continuation.resume()
            }
        }
    }

    /// The next caller has the connection at once, so no other can get it before.
    func passTurn() { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }

    // MARK: The link

    /// A password as the server stores it (SCRAM-SHA-256), for `alter role … password`: its log gets no password.
    /// - Throws: `notConnected`; `unexpectedResult` if libpq has no memory or no random numbers.
    public func verifier(password: String, user: String) throws(PostgresError) -> String {
        try perform { link throws(PostgresError) in
            guard let text = PQencryptPasswordConn(link.handle, password, user, "scram-sha-256") else {
                throw PostgresError(.unexpectedResult, statement: "password")
            }
            defer { PQfreemem(text) }
            return String(cString: text)
        }
    }

    func flight(_ all: [Statement], named: Range<Int> = 0..<0, _ time: Duration) throws(PostgresError) -> [Rows] {
        try perform { link throws(PostgresError) in try link.flight(all, named: named, Deadline(after: time)) }
    }

    /// No such prepared statement, one of this name, and one whose columns have other types now (a view was replaced).
    private static let unprepared = ["26000", "42P05", "0A000"]

    /// Runs a whole transaction, whose second answer is that of `settings`. If the server can't run a statement as a
    /// prepared one, this session prepares no more, and the transaction is repeated.
    private func flight(
        _ all: [Statement],
        preparing named: Range<Int>,
        _ time: Duration
    ) throws(PostgresError) -> [Rows] {
        do throws(PostgresError) {
            let rows = try flight(all, named: named, time)
            if let link, link.prepares == nil {
                link.prepares = try rows[1].int4(0, rows[1].columnCount - 1) == link.processID
            }
            return rows
        } catch {
            guard let link, link.prepares == true, Self.unprepared.contains(error.sqlState ?? ""),
                all[named].contains(where: { $0.preparedName != nil && $0.name == error.statement })
            else { throw error }
            link.prepares = false
            return try flight(all, time)
        }
    }

    /// Runs `work`, then cleans up: a broken link is closed, and a transaction is ended unless it is interactive.
    func perform<T>(_ work: (ServerLink) throws(PostgresError) -> T) throws(PostgresError) -> T {
        guard let link else { throw PostgresError(.notConnected) }
        do throws(PostgresError) {
            let value = try work(link)
            if currentTransaction == nil { rollBackWhatIsOpen() }
            return value
        } catch {
            if error.code == .timedOut { silent.store(true, ordering: .releasing) }
            // The server was demoted behind a pooler, or made read-only. The next one must be writable.
            let isDemoted = error.sqlState == "25006" && configuration.wantsWritable
            if error.code == .connectionLost || error.code == .timedOut || link.isBroken || isDemoted {
                close()
            } else if currentTransaction == nil {
                rollBackWhatIsOpen()
            }
            throw error
        }
    }

    /// After an error in a transaction the server skips the rest of the flight, so ROLLBACK needs its own flight.
    func rollBackWhatIsOpen() {
        guard let link, link.isInTransaction else { return }
        do throws(PostgresError) {
            _ = try link.flight([Self.rollback], Deadline(after: Self.grace * 2))
        } catch { close() }
    }

    // MARK: Statements of our own

    // The isolation is named, since a database or a role can carry another default.
    static let begin = Statement("begin", sql: "begin isolation level read committed")
    static let beginSnapshot = Statement("begin_snapshot", sql: "begin isolation level repeatable read, read only")
    static let commit = Statement(commitName, sql: "commit")
    /// The name of a transaction's COMMIT in errors. Deferred constraints and triggers fail there.
    public static let commitName = "commit"
    static let rollback = Statement("rollback", sql: "rollback")

    /// What a database, a role or a connection string can change so that a statement means something else, or fails.
    /// Each transaction sets it, since a session's settings don't reach through a transaction pooler. Time zone and date
    /// style stay as they are: the app's own views may depend on them.
    private static let fixed = [
        ("lock_timeout", "0"), ("idle_in_transaction_session_timeout", "600000"), ("row_security", "on"),
        ("standard_conforming_strings", "on"), ("transform_null_equals", "off"),
    ]

    /// One statement for all settings, which last until the end of the transaction. A later one of the same name counts.
    /// The last column is the process that answers.
    func settings(_ settings: [(String, String)], _ timeout: Duration, named: String = "settings") -> Statement {
        // Whole milliseconds. At least 1, because 0 would mean no limit.
        let limit = Int32(min(max(timeout / .milliseconds(1), 1), 2_000_000_000))
        let start = [("search_path", configuration.searchPath), ("statement_timeout", String(limit))]
        let all = start + Self.fixed + settings
        // The names are ours. The schema is named, since the search path is not set yet.
        let calls = all.indices.map { "pg_catalog.set_config('\(all[$0].0)', $\($0 + 1), true)" }
        let sql = "select \(calls.joined(separator: ", ")), pg_catalog.pg_backend_pid()"
        let values = all.map { Parameter.text($0.1) }
        return Statement(named, sql: sql, parameters: values, preparedName: "settings_\(sql.stableHash)")
    }

    /// COMMIT of a failed transaction is not an error for the server: it answers with the tag ROLLBACK.
    static func checkCommitted(_ answer: Rows) throws(PostgresError) {
        guard answer.command == "COMMIT" else { throw PostgresError(.rolledBack, statement: "commit") }
    }
}

/// A serial Dispatch queue as an actor's executor (Linux has no DispatchSerialQueue). Its jobs may block: a serial
/// queue made by label takes its thread from the overcommitting pool, not from Swift's cooperative pool.
final class SerialQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "nudged.postgres")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps the executor alive while its job runs, even if the actor is freed meanwhile.
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
