package import struct FoundationEssentials.UUID
package import Policy
package import Postgres
package import TimeZones

/// The kill switch, and everyone due: `nudged pause`, `resume`, `replan`. Each call is one short transaction, and doing it twice does no harm.
extension Store {
    /// What a sweep looks at first: the database's clock, in microseconds since 1970, the kinds that are held, and whether a migration was applied since
    /// beside which this version can't work (`Migration.oldest`).
    package func look() async throws(PostgresError) -> (clock: Int64, paused: Set<NudgeKind>, isOutdated: Bool) {
        let queries = [Query.clock, .pausedKinds, .migrationsNeeded]
        let rows = try await transaction(claims, queries.map { $0() })
        guard rows.count == queries.count else {
            throw PostgresError(.unexpectedResult, statement: Query.pausedKinds.name)
        }
        return (try rows[0].timestamp(0, 0), try Self.kinds(rows[1]), try rows[2].int4(0, 0) > Migration.newest)
    }

    /// A kind that this version does not know is a newer one's.
    static func kinds(_ rows: Rows) throws(PostgresError) -> Set<NudgeKind> {
        var kinds: Set<NudgeKind> = []
        for row in 0..<rows.count {
            if let kind = NudgeKind(rawValue: try rows.text(row, 0)) { kinds.insert(kind) }
        }
        return kinds
    }

    /// Users of an intent to whom something of a held kind would go.
    static func held(_ entries: [Intent.Entry], by paused: Set<NudgeKind>) -> Set<UUID> {
        guard !paused.isEmpty else { return [] }
        let names = Set(paused.map(\.rawValue))
        return Set(entries.filter { $0.devices.contains { names.contains($0.kind) } }.map(\.userID))
    }

    // MARK: The kill switch

    /// Holds kinds. Returns those that were not held before.
    package func pause(
        _ kinds: [NudgeKind],
        byWhom: String,
        words: String?
    ) async throws(PostgresError) -> Set<NudgeKind> {
        let words = words.map(Parameter.text) ?? .null(.text)
        return try Self.kinds(
            try await one(claims, .pause, [.textArray(kinds.map(\.rawValue)), .text(byWhom), words])
        )
    }

    /// Everything that is paused or still being resumed, by kind.
    package func pauses() async throws(PostgresError) -> [Pause] {
        try Self.pauses(try await one(claims, .pauses, []))
    }

    /// Lets kinds be sent again. Returns what is to be done for each that was held: its users are still to be made due.
    package func resume(_ kinds: [NudgeKind]) async throws(PostgresError) -> [Pause] {
        try Self.pauses(try await one(claims, .resume, [.textArray(kinds.map(\.rawValue))]))
    }

    /// Everyone who was held is due.
    package func endResume(_ kinds: [NudgeKind]) async throws(PostgresError) {
        _ = try await one(claims, .resumed, [.textArray(kinds.map(\.rawValue))])
    }

    static func pauses(_ rows: Rows) throws(PostgresError) -> [Pause] {
        var pauses: [Pause] = []
        for row in 0..<rows.count {
            guard let kind = NudgeKind(rawValue: try rows.text(row, 0)) else { continue }
            pauses.append(
                Pause(
                    kind: kind,
                    since: instant(try rows.timestamp(row, 1)),
                    heldSince: instant(try rows.timestamp(row, 2)),
                    byWhom: try rows.text(row, 3),
                    words: try rows.textOrNull(row, 4),
                    resumedAt: try rows.timestampOrNull(row, 5).map(instant)
                )
            )
        }
        return pauses.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    // MARK: Everyone, page by page

    /// Before everyone.
    package static let firstUser = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Counts the next users: how many, and the first who is left.
    package func countUsers(from user: UUID, limit: Int) async throws(PostgresError) -> (users: Int, next: UUID?) {
        let rows = try await one(claims, .countUsers, [.uuid(user), .int8(Int64(limit))])
        return (Int(try rows.int8(0, 0)), try rows.uuidOrNull(0, 1))
    }

    /// What a page came to.
    package struct WokenPage: Sendable {
        /// Users who are due now and were not.
        package let woken: Int
        /// Users of the page.
        package let users: Int
        /// The first who is left; nil: nobody.
        package let next: UUID?
    }

    /// Makes the next users due.
    ///
    /// - Parameter asked: only those who were asked then, or are being asked; nil: everyone.
    package func wakeUsers(
        from user: UUID,
        now: Instant,
        asked: ClosedRange<Instant>?,
        limit: Int
    ) async throws(PostgresError) -> WokenPage {
        let bounds = [asked?.lowerBound, asked?.upperBound].map { instant in
            instant.map { Parameter.timestamp($0.microseconds) } ?? .null(.timestamptz)
        }
        let rows = try await one(
            claims,
            .wakeUsers,
            [.timestamp(now.microseconds), .uuid(user), .int8(Int64(limit))] + bounds
        )
        return WokenPage(
            woken: Int(try rows.int8(0, 0)),
            users: Int(try rows.int8(0, 1)),
            next: try rows.uuidOrNull(0, 2)
        )
    }
}
