public import FoundationEssentials
public import Postgres
public import TimeZones

/// The daemon's statements on PostgreSQL: claim → intent → outcome, each fenced by its lease.
///
/// Three connections, so that claiming the next users, committing intents and recording outcomes overlap; each is used by one
/// caller at a time. Every statement runs in a transaction of its own with the planner pinned (`pinnedPlans`) and a time-out,
/// without session state, so a transaction pooler may stand between.
public struct Store: Sendable {
    let claims: Database
    let intents: Database
    let records: Database
    /// Server-side limit of every statement.
    let statementTimeout: Duration
    /// Where the last claim ended.
    let claiming = Claiming()
    /// After the database was away, every living daemon is given so long to record its outcomes before its intents may be taken for a dead one's: longer than a
    /// pause between two of its attempts (5 s, `Sweeper.carryOut`) and than its way back to the database (`backoff`).
    var findingBack = Duration.seconds(10)

    /// - Parameters:
    ///   - configuration: where the database is.
    ///   - statementTimeout: the limit of every statement, in the server and, a little later, here.
    ///   - onFailure: hears of each failed attempt to connect; attempts go on.
    public init(
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
        self.statementTimeout = statementTimeout
    }

    /// Back in work within five seconds of the database (faults.md).
    static let backoff = Backoff(base: .milliseconds(100), cap: .seconds(4))

    /// The hot statements join a batch of some hundred users with tables of any size: always by index. A planner without statistics
    /// (a fresh table, a burst between two ANALYZEs) chooses sequential scans and hash joins, and a sweep costs what exists.
    package static let pinnedPlans: [(String, String)] = [
        ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off"),
        // A bitmap loses the index's order: the claim would then sort all that is due, for each batch anew.
        ("enable_bitmapscan", "off"),
    ]

    /// Closes the connections.
    public func close() async {
        await claims.close()
        await intents.close()
        await records.close()
    }

    // MARK: The sweep's reading side

    /// The database's clock, in microseconds since 1970.
    public func clock() async throws(PostgresError) -> Int64 {
        try await one(claims, .clock, []).timestamp(0, 0)
    }

    /// Makes users due whose data changed. Returns how many touches were taken; fewer than `limit`: none is left.
    public func drain(limit: Int, now: Instant) async throws(PostgresError) -> Int {
        let parameters: [Parameter] = [.int8(Int64(limit)), .timestamp(now.microseconds)]
        do throws(PostgresError) {
            return Int(try await one(claims, .drain, parameters, settings: Self.impatient).int8(0, 0))
        } catch {
            guard error.sqlState == Self.lockNotAvailable else { throw error }
            do throws(PostgresError) {
                return Int(try await one(claims, .drainFree, parameters, settings: Self.impatient).int8(0, 0))
            } catch let refused {
                // Distributed rows can't be passed over: then the next look finds who holds them gone.
                throw refused.sqlState == Self.notSupported ? error : refused
            }
        }
    }

    /// How long a row that somebody holds is waited for, in milliseconds: another daemon's commit takes less.
    static let impatient = [("lock_timeout", "250")]
    /// lock_not_available
    static let lockNotAvailable = "55P03"

    /// Leases the next users who are due.
    ///
    /// - Parameters:
    ///   - startingOver: from the start; false: where the last claim ended.
    ///   - living: leases of ours whose outcomes are on the way: their users are not claimed, even where the lease has ended meanwhile.
    ///   - onUnreadable: hears of users whose row holds what can't be read (a hand has been in it); they are leased, and not in the result.
    public func claim(
        now: Instant,
        startingOver: Bool = true,
        limit: Int,
        leaseID: UUID,
        leaseMilliseconds: Int64,
        except living: [UUID] = [],
        onUnreadable: (UUID) -> Void = { _ in }
    ) async throws(PostgresError) -> [ClaimedUser] {
        let terms = ClaimTerms(
            now: now,
            limit: limit,
            leaseID: leaseID,
            leaseMilliseconds: leaseMilliseconds,
            living: living
        )
        return try await claim(terms, startingOver: startingOver, onUnreadable: onUnreadable)
    }

    /// Gives users back to be asked again later.
    public func postpone(_ postponements: [Postponement], leaseID: UUID) async throws(PostgresError) {
        // In the order of user_id, like every other writer that waits: two daemons can't deadlock.
        let postponements = postponements.sorted { $0.userID < $1.userID }
        _ = try await one(
            intents,
            .postpone,
            [
                .uuid(leaseID), .uuidArray(postponements.map(\.userID)), .int8Array(postponements.map(\.version)),
                .timestampArray(postponements.map(\.until.microseconds)),
            ]
        )
    }

    /// Puts devices into quarantine until they register anew.
    public func quarantine(_ devices: [RefusedDevice], now: Instant) async throws(PostgresError) {
        _ = try await one(
            records,
            .quarantine,
            [
                .timestamp(now.microseconds), .uuidArray(devices.map(\.userID)), .textArray(devices.map(\.deviceHash)),
                .textArray(devices.map(\.environment)), .textArray(devices.map(\.topic)),
                .int8Array(devices.map(\.registration)), .textArray(devices.map(\.at.rfc3339)),
                .textArray(devices.map(\.reason)),
            ]
        )
    }

    /// Whether anyone is still due.
    public struct Remaining: Sendable, Equatable {
        /// Someone is due, or a change or a dead daemon's intent waits.
        public let isAnyoneDue: Bool
        /// One of them is free to be claimed.
        public let isAnyoneFree: Bool
        /// Milliseconds until the first of the others' leases ends.
        public let millisecondsToFirstLeaseEnd: Int64
    }

    /// Asked before `--once` ends.
    public func remaining(now: Instant) async throws(PostgresError) -> Remaining {
        // Whoever is found must be found by the next claim as well.
        claiming.withFloor { $0.forget() }
        let rows = try await one(
            claims,
            .remaining,
            [.timestamp(now.endOfSecond), .int4Array(RangeWalk.all)]
        )
        return Remaining(
            isAnyoneDue: try rows.bool(0, 0),
            isAnyoneFree: try rows.bool(0, 1),
            millisecondsToFirstLeaseEnd: try rows.int8(0, 2)
        )
    }

    // MARK: Leases

    /// Gives users back unchanged.
    public func release(_ users: [UUID], leaseID: UUID) async throws(PostgresError) {
        _ = try await one(intents, .release, [.uuid(leaseID), .uuidArray(users)])
    }

    /// Holds users longer. Returns those who are still ours.
    public func renew(
        _ users: [UUID],
        leaseID: UUID,
        leaseMilliseconds: Int64
    ) async throws(PostgresError) -> Set<UUID> {
        let rows = try await one(intents, .renew, [.uuid(leaseID), .uuidArray(users), .int8(leaseMilliseconds)])
        return try userSet(rows)
    }

    // MARK: The record's housekeeping

    /// A week ahead is ready, so that a daemon that is away for days leaves nothing to the default partition.
    public static let daysAhead: Int32 = 7

    /// Makes the record's next partitions, and drops those that ended more than `keepDays` (1 to 36,500) ago, in bounded steps: where anything was
    /// done, more may be left. Readers are not waited for: behind one, what is old is left for the next call, which returns without an error.
    public func maintainDelivery(
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
    public func pruneMessageKeys() async throws(PostgresError) -> Int {
        Int(try await one(claims, .pruneMessageKeys, []).int8(0, 0))
    }

    // MARK: How a statement runs

    func one(
        _ database: Database,
        _ query: Query,
        _ parameters: [Parameter],
        settings: [(String, String)] = []
    ) async throws(PostgresError) -> Rows {
        let statement = Statement(query.rawValue, sql: query.sql, parameters: parameters)
        let rows = try await transaction(database, [statement], settings: settings)
        guard let first = rows.first else { throw PostgresError(.unexpectedResult, statement: query.rawValue) }
        return first
    }

    func transaction(
        _ database: Database,
        _ statements: [Statement],
        afterwards: [Statement] = [],
        settings: [(String, String)] = []
    ) async throws(PostgresError) -> [Rows] {
        let connection = try await database.connection()
        return try await connection.transaction(
            statements,
            afterwards: afterwards,
            settings: Self.pinnedPlans + settings,
            timeout: statementTimeout
        )
    }

    func userSet(_ rows: Rows) throws(PostgresError) -> Set<UUID> {
        var users = Set<UUID>(minimumCapacity: rows.count)
        for row in 0..<rows.count { users.insert(try rows.uuid(row, 0)) }
        return users
    }
}
