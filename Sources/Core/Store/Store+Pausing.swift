import JSON
package import Policy
package import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// A row of `nudged.paused`: a kind that is paused, or was resumed while not all users who were held are due yet.
package struct Pause: Sendable, Equatable {
    package let kind: NudgeKind
    package let since: Instant
    /// Since when users may have been held who are not due again yet. Earlier than `since` after an interrupted resume.
    package let heldSince: Instant
    /// `user@host`.
    package let byWhom: String
    package let reason: String?
    /// When sending was resumed; nil: it is paused.
    package let resumedAt: Instant?
}

/// Pauses, and making users due: `nudged pause`, `resume`, `replan`. Each call is one short, repeatable transaction.
extension Store {
    /// What a sweep reads first.
    package struct Look: Sendable {
        /// The database's clock, in microseconds since 1970.
        package let clock: Int64
        package let paused: Set<NudgeKind>
        /// This version can't work with the schema: a newer migration (`Migration.oldest`), or a view of another table.
        package let isUnusable: Bool
        /// A user who was deleted from auth.users is to be erased.
        package let isAnyoneDeparted: Bool
        package let isFanOutDue: Bool
        /// `drain` may find something.
        package let isAnyoneTouched: Bool
        /// `recoverOrphans` finds something to record or to delete.
        package let isAnyIntentLost: Bool
    }

    /// - Parameter now: the policy's; nil: not known yet.
    package func look(now: Instant? = nil, checksBinding: Bool = false) async throws(PostgresError) -> Look {
        let asked = Claiming.now()
        let start = claiming.with { $0.touches.start(at: asked) }
        let waiting = Query.waiting([.timestamp(now?.endOfSecond), .int8(start)])
        var statements = [Query.clock(), Query.pausedKinds(), Query.migrationsNeeded(), waiting]
        if checksBinding { statements.append(Query.isMisbound()) }
        let rows = try await transaction(claims, statements)
        let isAnyoneTouched = try rows[3].bool(0, 2)
        if !isAnyoneTouched { claiming.with { $0.touches.took(start: start, asked: asked, answered: Claiming.now()) } }
        let isOutdated = try rows[2].int4(0, 0) > Migration.newest
        let isMisbound = checksBinding ? try rows[4].bool(0, 0) : false
        return Look(
            clock: try rows[0].timestamp(0, 0),
            paused: try Self.kinds(rows[1]),
            isUnusable: isOutdated || isMisbound,
            isAnyoneDeparted: try rows[3].bool(0, 0),
            isFanOutDue: try rows[3].bool(0, 1),
            isAnyoneTouched: isAnyoneTouched,
            isAnyIntentLost: try rows[3].bool(0, 3)
        )
    }

    /// A kind that this version doesn't know belongs to a newer version, and is left out.
    static func kinds(_ rows: Rows) throws(PostgresError) -> Set<NudgeKind> {
        Set(try rows.decoded { (kind: String) in NudgeKind(rawValue: kind) }.compactMap(\.self))
    }

    // MARK: Pauses

    /// Pauses kinds. Returns those that were not paused before.
    package func pause(_ kinds: [NudgeKind], by: String, why: String?) async throws(PostgresError) -> Set<NudgeKind> {
        let names = Parameter.textArray(kinds.map(\.rawValue))
        let said = [by, why].map { Parameter.text($0?.document.asciiJSON) }
        return try Self.kinds(try await one(claims, .pause, [names] + said))
    }

    /// All kinds that are paused or still being resumed, sorted by kind.
    package func pauses() async throws(PostgresError) -> [Pause] { try Self.pauses(try await one(claims, .pauses)) }

    /// Lets kinds be sent again. Returns those that were paused or are being resumed: their users must become due.
    package func resume(_ kinds: [NudgeKind]) async throws(PostgresError) -> [Pause] {
        try Self.pauses(try await one(claims, .resume, [.textArray(kinds.map(\.rawValue))]))
    }

    /// Ends a resume, once all users who were held are due.
    package func endResume(_ kinds: [NudgeKind]) async throws(PostgresError) {
        _ = try await one(claims, .resumed, [.textArray(kinds.map(\.rawValue))])
    }

    /// How many users wait for each of these kinds, counted up to `WorkStatus.most`. nil: counting takes too long.
    package func pausedUsers(_ kinds: [NudgeKind]) async throws(PostgresError) -> [NudgeKind: Int]? {
        let parameters: [Parameter] = [.int8(Int64(WorkStatus.most)), .textArray(kinds.map(\.rawValue))]
        do throws(PostgresError) {
            let rows = try await one(records, .pausedUsers, parameters, Patience(lock: nil, statement: .seconds(2)))
            let counts = try rows.decoded(at: 0) { (checkIns: Int, messages: Int, reminders: Int) in
                [NudgeKind.checkIn: checkIns, .message: messages, .reminder: reminders]
            }
            return counts.filter { kinds.contains($0.key) }
        } catch {
            guard error.isTimeOut else { throw error }
            return nil
        }
    }

    static func pauses(_ rows: Rows) throws(PostgresError) -> [Pause] {
        let pauses = try rows.decoded {
            (kind: String, since: Instant, held: Instant, byWhom: String, reason: String?, resumed: Instant?) in
            NudgeKind(rawValue: kind).map {
                Pause(kind: $0, since: since, heldSince: held, byWhom: byWhom, reason: reason, resumedAt: resumed)
            }
        }
        return pauses.compactMap(\.self).sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    // MARK: Everyone, page by page

    /// Before all users.
    package static let firstUser = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Counts the next users (`countUsers`), or users whose rows `restoreTouches` would make (`restoreNewcomers`).
    /// Returns how many, and the first user of the next page.
    package func count(_ query: Query, from: UUID, most: Int) async throws(PostgresError) -> (users: Int, next: UUID?) {
        let rows = try await one(claims, query, [.uuid(from), .int8(Int64(most))])
        return (Int(try rows.int8(0, 0)), try rows.uuidOrNull(0, 1))
    }

    /// Hands the app's users who are not in nudged.person to the daemons. Returns how many, and who is next.
    package func adoptUsers(from user: UUID, limit: Int) async throws(PostgresError) -> (users: Int, next: UUID?) {
        let rows = try await one(claims, .unseenUsers, [.uuid(user), .int8(Int64(limit))])
        let users = try rows.uuidArray(0, 0)
        if !users.isEmpty { _ = try await one(claims, .touchUsers, [.uuidArray(users)]) }
        return (users.count, try rows.uuidOrNull(0, 1))
    }

    /// Makes the next users due who were evaluated in this time, or are due already; nil: everyone. Returns users who
    /// are due now and were not before, all users, and the first user of the next page.
    package func wakeUsers(
        from user: UUID,
        now: Instant,
        evaluated: ClosedRange<Instant>?,
        limit: Int
    ) async throws(PostgresError) -> (woken: Int, users: Int, next: UUID?) {
        let parameters: [Parameter] = [
            .timestamp(now.microseconds), .uuid(user), .int8(Int64(limit)),
            .timestamp(evaluated?.lowerBound.microseconds), .timestamp(evaluated?.upperBound.microseconds),
        ]
        let rows = try await one(claims, .wakeUsers, parameters)
        return try rows.decoded(at: 0) { (woken: Int, users: Int, next: UUID?) in (woken, users, next) }
    }
}
