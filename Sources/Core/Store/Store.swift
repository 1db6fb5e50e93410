import Base
package import FoundationEssentials
package import Postgres
package import TimeZones

/// The daemon's statements on PostgreSQL: claims, intents, outcomes. Drains, intents and outcomes are fenced by the
/// membership (`Query.holdMember`, the foreign key of an intent): once it has ended, they throw an error that
/// `isFenced`, and write nothing.
///
/// There are four connections, so that claims, intents and outcomes overlap, and renewals wait for none of them. Each
/// is used by one caller at a time. Every statement runs in a transaction of its own with pinned plans (`pinnedPlans`)
/// and a time-out. A transaction pooler may be in between: only without one, a session prepares what runs often.
package struct Store: Sendable {
    let claims: Database
    let intents: Database
    let records: Database
    /// For renewals and heartbeats, which must not queue behind a slow statement.
    let ownership: Database
    /// The server's limit for every statement. The client waits a little longer.
    let statementTimeout: Duration
    let claiming = Claiming()

    /// - Parameter onFailure: called for each failed attempt to connect; attempts go on.
    package init(
        configuration: ConnectionConfiguration,
        statementTimeout: Duration = .seconds(10),
        onFailure: @escaping Database.FailureReport = { _ in }
    ) {
        func database() -> Database { Database(configuration, afterSilence: Self.expectAnswers, onFailure: onFailure) }
        (claims, intents, records, ownership) = (database(), database(), database(), database())
        self.statementTimeout = statementTimeout
    }

    /// The hot statements join a few hundred users with tables of any size, always by index. Without statistics (a new
    /// table, a burst between two ANALYZEs) the planner would choose sequential scans and hash joins. Then a sweep
    /// would cost as much as the tables hold.
    package static let pinnedPlans: [(String, String)] = [
        ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off"),
        // A bitmap scan loses the index's order: each claim would then sort all users who are due.
        ("enable_bitmapscan", "off"),
    ]

    static func plans(hashes: Bool) -> [(String, String)] { pinnedPlans + (hashes ? [("enable_hashjoin", "on")] : []) }

    package func close() async { for database in [claims, intents, records, ownership] { await database.close() } }

    // MARK: The sweep's reading side

    package func clock() async throws(PostgresError) -> Int64 { try await one(claims, .clock).timestamp(0, 0) }

    /// The active templates, sorted by id.
    package func templates() async throws(PostgresError) -> [StoredTemplate] {
        try await one(claims, .templates, [.int8(StoredTemplate.most)]).decoded(StoredTemplate.init)
    }

    /// Puts devices into quarantine until they register again. Returns each user's devices that work in the other
    /// environment, as in the column: they stay as they are.
    @discardableResult
    package func quarantine(_ devices: [EnvironmentNote], now: Instant) async throws(PostgresError) -> [UUID: String] {
        let quarantine = Query.quarantine([.timestamp(now.microseconds)] + EnvironmentNote.columns(devices))
        let touch = Query.touchUsers([.uuidArray(Set(devices.map(\.userID)).sorted())])
        return try await transaction(records, [quarantine, touch], .usual)[0].byUser()
    }

    /// For `--once`, before it ends: whether someone is due in any range, or a touch, an orphan or a fan-out waits; and
    /// whether someone is due in these ranges.
    package func remaining(
        now: Instant,
        ranges: [Int32]
    ) async throws(PostgresError) -> (isAnyoneDue: Bool, isAnyoneOurs: Bool) {
        // If users are found here, the next claim must find them too.
        claiming.with { $0.floor.forget() }
        claiming.with { $0.touches.forget() }
        let parameters: [Parameter] = [.timestamp(now.endOfSecond), .int4Array(RangeWalk.all), .int4Array(ranges)]
        return try await one(claims, .remaining, parameters).decoded(at: 0) { (due: Bool, ours: Bool) in (due, ours) }
    }

    // MARK: The record's housekeeping

    /// Makes the record's partitions for a week ahead, and drops those that ended more than
    /// `nudged.setting.retention_days` ago. Each call does a bounded part: if it did something, more may be left. It
    /// waits for no reader: what a reader blocks is left for the next call.
    package func maintainDelivery() async throws(PostgresError) -> (made: Int, dropped: Int) {
        // A partition needs an exclusive lock on the record. Behind a long reader (pg_dump), all outcomes would queue.
        let rows = try await one(claims, .maintainDelivery, [], Patience(lock: 200))
        return try rows.decoded(at: 0) { (made: Int, dropped: Int) in (made, dropped) }
    }

    /// Deletes a bounded number of old dedupe keys. Returns how many: if any, more may be left.
    package func pruneMessageKeys() async throws(PostgresError) -> Int {
        Int(try await one(claims, .pruneMessageKeys).int8(0, 0))
    }

    /// Erases users of `nudged.departed` who are due, for about half a second. Counts them, and those it could not.
    package func eraseDeparted() async throws(PostgresError) -> (erased: Int, held: Int) {
        try await one(claims, .eraseDeparted).decoded(at: 0) { (erased: Int, held: Int) in (erased, held) }
    }

    // MARK: How a statement runs

    func one(
        _ database: Database,
        _ query: Query,
        _ parameters: [Parameter] = [],
        _ patience: Patience = .unlimited
    ) async throws(PostgresError) -> Rows { try await transaction(database, [query(parameters)], patience)[0] }

    /// - Parameters:
    ///   - member: the membership that writes users' rows. If it has ended: error ND020. Nil: writes no such rows.
    ///   - afterwards: statements of another transaction (`Connection.transaction`).
    ///   - hashes: whether lists are joined with lists, which takes linear time only by hashing.
    func transaction(
        _ database: Database,
        holding member: UUID? = nil,
        _ statements: [Statement],
        afterwards: [Statement] = [],
        _ patience: Patience = .unlimited,
        hashes: Bool = false
    ) async throws(PostgresError) -> [Rows] {
        let hold = member.map { [Query.holdMember([.uuid($0)])] } ?? []
        let rows = try await database.connection().transaction(
            hold + statements,
            afterwards: afterwards,
            settings: Self.plans(hashes: hashes) + patience.settings,
            timeout: bounded(patience.statement)
        )
        return Array(rows.dropFirst(hold.count))
    }

    /// The time-out of a statement that may take so long, but no longer than usual.
    func bounded(_ time: Duration?) -> Duration { min(time ?? statementTimeout, statementTimeout) }
}

/// The text of a check-in: an active row of `nudged.template`.
package struct StoredTemplate: Sendable, Equatable {
    /// The record refers to it.
    package let id: Int32
    /// Only for users whose context has this domain; nil: for all.
    package var domain: String?
    /// A language (`de`), or one of a region (`pt-BR`); nil: for users whose own has no template.
    package var locale: String?
    /// With placeholders; may be empty, as may the body.
    package let title: String
    package let body: String
    /// 1 to 1,000.
    package var weight: Int32 = 1
    /// `open_conversation` or `new_conversation`; nil: the one that fits the user.
    package var action: String?
    /// How the phone shows it: a JSON object; nil: nothing is set.
    package var apns: String?
    /// A JSON object of members beside `aps`; nil: none.
    package var data: String?

    static let most: Int64 = 1_000
}

extension Rows {
    /// An instant of a column that people can edit.
    func nearest(_ row: Int, _ column: Int) throws(PostgresError) -> Instant? {
        Instant(nearest: try reachableTimestampOrNull(row, column))
    }
    func uuidSet() throws(PostgresError) -> Set<UUID> {
        var ids = Set<UUID>(minimumCapacity: count)
        for row in 0..<count { ids.insert(try uuid(row, 0)) }
        return ids
    }

    /// The second column by the users of the first.
    func byUser<Value: ColumnValue>() throws(PostgresError) -> [UUID: Value] {
        var values: [UUID: Value] = [:]
        for row in 0..<count { values[try uuid(row, 0)] = try Value.read(self)(row, 1) }
        return values
    }
}
