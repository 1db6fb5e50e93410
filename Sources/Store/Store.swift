import FoundationEssentials
package import Postgres
package import TimeZones

/// The daemon's statements on PostgreSQL: claim → intent → outcome, each fenced by its membership (`hold_member.sql`, the foreign key of an intent).
///
/// Four connections, so that claiming the next users, committing intents and recording outcomes overlap, and renewals wait for none of them; each is used
/// by one caller at a time. Every statement runs in a transaction of its own with the planner pinned (`pinnedPlans`) and a time-out,
/// without session state, so a transaction pooler may stand between.
package struct Store: Sendable {
    let claims: Database
    let intents: Database
    let records: Database
    /// Renewals and heartbeats: they must not queue behind a slow statement.
    let ownership: Database
    /// Server-side limit of every statement.
    let statementTimeout: Duration
    /// What claims remember.
    let claiming = Claiming()
    /// After the database was away, every living daemon is given so long to renew its lease before it may be declared dead: longer than a pause between two
    /// of its attempts, and than its way back to the database (`backoff`).
    var findingBack = Duration.seconds(10)

    /// - Parameters:
    ///   - configuration: where the database is.
    ///   - statementTimeout: the limit of every statement, in the server and, a little later, here.
    ///   - onFailure: hears of each failed attempt to connect; attempts go on.
    package init(
        configuration: ConnectionConfiguration,
        statementTimeout: Duration = .seconds(10),
        onFailure: @escaping @Sendable (PostgresError) -> Void = { _ in }
    ) {
        func database() -> Database {
            Database(
                configuration,
                backoff: Self.backoff,
                afterSilence: Self.expectAnswers,
                report: { _, error, _ in onFailure(error) }
            )
        }
        claims = database()
        intents = database()
        records = database()
        ownership = database()
        self.statementTimeout = statementTimeout
    }

    /// Back in work within five seconds of the database.
    static let backoff = Backoff(base: .milliseconds(100), cap: .seconds(4))

    /// The hot statements join a batch of some hundred users with tables of any size: always by index. A planner without statistics
    /// (a fresh table, a burst between two ANALYZEs) chooses sequential scans and hash joins, and a sweep costs what exists.
    package static let pinnedPlans: [(String, String)] = [
        ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off"),
        // A bitmap loses the index's order: the claim would then sort all that is due, for each batch anew.
        ("enable_bitmapscan", "off"),
    ]

    /// Closes the connections.
    package func close() async {
        await claims.close()
        await intents.close()
        await records.close()
        await ownership.close()
    }

    // MARK: The sweep's reading side

    /// The database's clock, in microseconds since 1970.
    package func clock() async throws(PostgresError) -> Int64 {
        try await one(claims, .clock, []).timestamp(0, 0)
    }

    /// How long a row that somebody holds is waited for, in milliseconds: another transaction's commit takes less.
    static let impatient = Patience.usual.settings

    /// Puts devices into quarantine until they register anew.
    package func quarantine(_ devices: [RefusedDevice], now: Instant) async throws(PostgresError) {
        _ = try await one(
            records,
            .quarantine,
            [
                .timestamp(now.microseconds), .uuidArray(devices.map(\.userID)), .textArray(devices.map(\.deviceHash)),
                .textArray(devices.map(\.environment)), .textArray(devices.map(\.topic)),
                .int8Array(devices.map(\.registration)), .textArray(devices.map(\.at.rfc3339)),
                .textArray(devices.map(\.reason)),
            ],
            settings: Self.impatient
        )
    }

    /// Whether anyone is still due.
    package struct Remaining: Sendable, Equatable {
        /// Someone is due in any range, or a change, an orphan or a fan-out waits.
        package let isAnyoneDue: Bool
        /// Someone is due in the ranges that were asked for.
        package let isAnyoneOurs: Bool

        package init(isAnyoneDue: Bool, isAnyoneOurs: Bool) {
            self.isAnyoneDue = isAnyoneDue
            self.isAnyoneOurs = isAnyoneOurs
        }
    }

    /// Asked before `--once` ends.
    package func remaining(now: Instant, ranges: [Int32]) async throws(PostgresError) -> Remaining {
        // Users who are found must be found by the next claim as well.
        claiming.with { $0.floor.forget() }
        claiming.with { $0.touches.forget() }
        let rows = try await one(
            claims,
            .remaining,
            [.timestamp(now.endOfSecond), .int4Array(RangeWalk.all), .int4Array(ranges)]
        )
        return Remaining(isAnyoneDue: try rows.bool(0, 0), isAnyoneOurs: try rows.bool(0, 1))
    }

    // MARK: The record's housekeeping

    /// A week ahead is ready, so that a daemon that is away for days leaves nothing to the default partition.
    package static let daysAhead: Int32 = 7

    /// Makes the record's next partitions, and drops those that ended more than `keepDays` (1 to 36,500) ago, in bounded steps: where anything was
    /// done, more may be left. Readers are not waited for: behind one, what is old is left for the next call, which returns without an error.
    package func maintainDelivery(
        daysAhead: Int32 = Store.daysAhead,
        keepDays: Int32
    ) async throws(PostgresError) -> (made: Int, dropped: Int) {
        // Partitions take the whole record exclusively: behind a long reader (pg_dump) every outcome would queue up with us. An hour later will do.
        let rows = try await one(
            claims,
            .maintainDelivery,
            [.int4(daysAhead), .int4(keepDays)],
            settings: [("lock_timeout", "200")]
        )
        return (Int(try rows.int8(0, 0)), Int(try rows.int8(0, 1)))
    }

    /// Forgets old dedupe keys, in bounded steps. Returns how many went: where any did, more may be left.
    package func pruneMessageKeys() async throws(PostgresError) -> Int {
        Int(try await one(claims, .pruneMessageKeys, []).int8(0, 0))
    }

    // MARK: How a statement runs

    func one(
        _ database: Database,
        _ query: Query,
        _ parameters: [Parameter],
        settings: [(String, String)] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        let rows = try await transaction(database, [query(parameters)], settings: settings, timeout: timeout)
        guard let first = rows.first else { throw PostgresError(.unexpectedResult, statement: query.name) }
        return first
    }

    /// - Parameter timeout: of each statement, where it is less than usual.
    func transaction(
        _ database: Database,
        _ statements: [Statement],
        afterwards: [Statement] = [],
        settings: [(String, String)] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        let connection = try await database.connection()
        return try await connection.transaction(
            statements,
            afterwards: afterwards,
            settings: Self.pinnedPlans + settings,
            timeout: min(timeout ?? statementTimeout, statementTimeout)
        )
    }

    /// A transaction that writes users' rows for a member: refused (ND020) where the membership has ended.
    ///
    /// - Returns: the answers to `statements`.
    func transaction(
        _ database: Database,
        holding member: UUID,
        _ statements: [Statement],
        settings: [(String, String)] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        let hold = Query.holdMember([.uuid(member)])
        let rows = try await transaction(database, [hold] + statements, settings: settings, timeout: timeout)
        guard rows.count == statements.count + 1 else {
            throw PostgresError(.unexpectedResult, statement: statements.first?.name)
        }
        return Array(rows.dropFirst())
    }

    func userSet(_ rows: Rows) throws(PostgresError) -> Set<UUID> {
        var users = Set<UUID>(minimumCapacity: rows.count)
        for row in 0..<rows.count { users.insert(try rows.uuid(row, 0)) }
        return users
    }
}
