import Synchronization

/// One connection to PostgreSQL. The actor runs on a queue of its own, where waiting for the server blocks nobody else.
///
/// Statements are unnamed, in pipeline mode, and leave no session state, so it works through a transaction pooler. Calls
/// are served one after another in the order of their arrival. Cancelling a task doesn't interrupt its statement: the
/// time-outs do, the server's `statement_timeout` first, and the closing of the connection where the server doesn't answer.
public actor Connection {
    /// What the server gets to report its own time-out before the connection is closed.
    static let grace: Duration = .seconds(2)

    let executor = SerialQueueExecutor(label: "nudged.postgres")
    let configuration: ConnectionConfiguration
    private let notices: (@Sendable (Notice) -> Void)?
    private var link: ServerLink?
    private let usable = Atomic<Bool>(false)
    private let silent = Atomic<Bool>(false)

    /// The interactive transaction that has the connection, and who waits for its end.
    private var turn = TransactionTurn()
    private(set) var currentTransaction: UInt64?
    private var lastTransaction: UInt64 = 0

    /// The actor's own serial queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether the connection is open. Answers at once, also while a statement is under way.
    public nonisolated var isUsable: Bool { usable.load(ordering: .acquiring) }

    /// Whether it was closed because an answer did not come (`timedOut`): what was asked may still be under way in the server.
    nonisolated var endedInSilence: Bool { silent.load(ordering: .acquiring) }

    init(_ configuration: ConnectionConfiguration, notices: (@Sendable (Notice) -> Void)?) {
        self.configuration = configuration
        self.notices = notices
    }

    func connect() throws(PostgresError) {
        link = try ServerLink.open(configuration, notices: notices)
        usable.store(true, ordering: .releasing)
    }

    /// Closes the connection; an interactive transaction under way fails at its next statement. Idempotent.
    public func close() {
        usable.store(false, ordering: .releasing)
        link = nil
    }

    /// The process that was named at the start of the connection, for cancel requests: the server's own, where nobody stands between. 0 once closed.
    var namedProcessID: Int32 { link?.processID ?? 0 }

    /// Runs one statement as a transaction of its own.
    ///
    /// - Parameter timeout: the server's `statement_timeout`; the connection is closed 2 s after it. Nil: the
    ///   configuration's. It starts when the statement's turn has come.
    /// - Throws: `refusedByServer`, after which the connection is good; `connectionLost`, `timedOut`, after which it isn't.
    public func run(_ statement: Statement, timeout: Duration? = nil) async throws(PostgresError) -> Rows {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        let rows = try flight([Self.settings([], timeout), statement], timeout + Self.grace)
        return rows[1]
    }

    /// Runs the statements as one transaction in one flight: BEGIN, the settings, the statements, COMMIT. The first error
    /// rolls everything back.
    ///
    /// - Parameters:
    ///   - settings: for this transaction only (`set_config(…, true)`).
    ///   - afterwards: a transaction of their own once the first is committed, in the same flight. Where one of these fails, the first
    ///     is committed all the same.
    ///   - timeout: `statement_timeout` of each statement, and (with 2 s more) the whole flight's; nil: the configuration's.
    /// - Returns: the result of each statement, then of each of `afterwards`.
    /// - Throws: as `run`; `rolledBack` where COMMIT was answered so.
    public func transaction(
        _ statements: [Statement],
        afterwards: [Statement] = [],
        settings: [(String, String)] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        var all = [Self.begin, Self.settings(settings, timeout)] + statements + [Self.commit]
        let end = all.count - 1
        // Until the synchronisation an implicit transaction, for which the settings are made anew.
        if !afterwards.isEmpty { all += [Self.settings(settings, timeout)] + afterwards }
        let rows = try flight(all, timeout + Self.grace)
        try Self.checkCommitted(rows[end])
        // After a ROLLBACK among the statements our COMMIT has nothing to commit, and is still answered COMMIT.
        for answer in rows[2..<end] where ["ROLLBACK", "COMMIT"].contains(answer.command) {
            throw PostgresError(.rolledBack, statement: answer.statement, detail: "it ends the transaction itself")
        }
        return Array(rows[2..<end]) + rows.dropFirst(end + 2)
    }

    /// Runs several statements without parameters by the simple protocol; for migrations. One transaction, unless the script
    /// itself begins and commits. `SET` without `LOCAL` would stay: don't.
    ///
    /// - Parameters:
    ///   - name: what errors call the script.
    ///   - asIs: sends the script alone, for what can't run in a transaction block (`CREATE INDEX CONCURRENTLY`); the server
    ///     then has no time-out of ours.
    public func execute(
        script: String,
        name: String = "script",
        timeout: Duration? = nil,
        asIs: Bool = false
    ) async throws(PostgresError) {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        let text = asIs ? script : "set local statement_timeout = \(timeout.asSetting);\n" + script
        try perform(leavingTransaction: false) { link throws(PostgresError) in
            try link.script(text, name: name, Deadline(after: timeout + Self.grace))
        }
    }
}

// MARK: - Turns

extension Connection {
    func takeTurn() async {
        if turn.take() { return }
        await withCheckedContinuation { turn.wait($0) }
    }

    func passTurn() {
        turn.pass()?.resume()
    }
}

// MARK: - The link

extension Connection {
    func flight(
        _ statements: [Statement],
        _ time: Duration,
        leavingTransaction: Bool = false
    ) throws(PostgresError) -> [Rows] {
        try perform(leavingTransaction: leavingTransaction) { link throws(PostgresError) in
            try link.flight(statements, Deadline(after: time))
        }
    }

    /// Runs `work` and leaves the link clean: closed where it broke, out of any transaction unless one is to be left open.
    func perform<T>(
        leavingTransaction: Bool,
        _ work: (ServerLink) throws(PostgresError) -> T
    ) throws(PostgresError) -> T {
        guard let link else { throw PostgresError(.notConnected) }
        do throws(PostgresError) {
            let value = try work(link)
            if !leavingTransaction { rollBackWhatIsOpen(link) }
            return value
        } catch {
            if error.code == .connectionLost || error.code == .timedOut || link.isBroken {
                if error.code == .timedOut { silent.store(true, ordering: .releasing) }
                close()
            } else if error.sqlState == "25006", configuration.wantsWritable {
                // The server was demoted behind a pooler or made read-only: who asks for a writable one must look for it again.
                close()
            } else if !leavingTransaction {
                rollBackWhatIsOpen(link)
            }
            throw error
        }
    }

    func startTransaction() -> UInt64 {
        lastTransaction += 1
        currentTransaction = lastTransaction
        return lastTransaction
    }

    func endTransaction() {
        currentTransaction = nil
    }

    func rollBack() {
        if let link { rollBackWhatIsOpen(link) }
    }

    /// After an error between BEGIN and COMMIT the server waits for this; a flight can't carry it, as what follows an error
    /// is skipped.
    private func rollBackWhatIsOpen(_ link: ServerLink) {
        guard link.isInTransaction else { return }
        do throws(PostgresError) {
            _ = try link.flight([Self.rollback], Deadline(after: Self.grace * 2))
        } catch {
            close()
        }
    }
}

// MARK: - Statements of our own

extension Connection {
    static let begin = Statement("begin", sql: "begin")
    static let beginSnapshot = Statement("begin_snapshot", sql: "begin isolation level repeatable read, read only")
    static let commit = Statement("commit", sql: "commit")
    static let rollback = Statement("rollback", sql: "rollback")

    /// One statement for all settings; `true` is SET LOCAL. In a flight without BEGIN it holds until the synchronisation.
    static func settings(_ settings: [(String, String)], _ timeout: Duration) -> Statement {
        let all = [("statement_timeout", String(timeout.asSetting))] + settings
        let calls = all.indices.map { "set_config($\(2 * $0 + 1), $\(2 * $0 + 2), true)" }
        return Statement(
            "settings",
            sql: "select " + calls.joined(separator: ", "),
            parameters: all.flatMap { [Parameter.text($0.0), .text($0.1)] }
        )
    }

    /// COMMIT of a failed transaction is no error to the server: it answers with the tag ROLLBACK.
    static func checkCommitted(_ answer: Rows) throws(PostgresError) {
        guard answer.command == "COMMIT" else { throw PostgresError(.rolledBack, statement: "commit") }
    }
}
