package import struct FoundationEssentials.UUID
package import Policy
package import Postgres
package import TimeZones

/// Reads one snapshot and writes nothing: users of any range as a claim does, for `nudged explain` and `nudged forecast`,
/// and the record's counts for `nudged report`.
package struct SnapshotReader: Sendable {
    let transaction: Transaction
    var isDistributed = false

    /// The database's clock, in microseconds since 1970.
    package func clock() async throws(PostgresError) -> Int64 { try await run(.clock, []).timestamp(0, 0) }

    package func paused() async throws(PostgresError) -> Set<NudgeKind> { try Store.kinds(try await run(.pausedKinds)) }

    package func templates() async throws(PostgresError) -> [StoredTemplate] {
        try await run(.templates, [.int8(StoredTemplate.most)]).decoded(StoredTemplate.init)
    }

    /// One user, with reminders that can be due by `until`, or by `now`. Nil: neither nudged nor the app has data about
    /// them.
    package func user(_ id: UUID, now: Instant, until: Instant? = nil) async throws(PostgresError) -> ReadUser? {
        let people = try await run(.readUsers, [.uuidArray([id])])
        let isNew = people.count == 0
        // The row that `Query.drain` inserts. Version 0 is one less than the first.
        let newcomer = ClaimedUser.Values(userID: id, version: 0, dueAt: now.microseconds)
        let values = isNew ? newcomer : try ClaimedUser.Values(people, 0)
        let parts = try await parts(of: [values], until: max(until ?? now, now))
        let touch = try await touches([id])[id]
        let owner = try await run(.readOwner, [.uuid(id)])
        guard !isNew || parts.isKnown(0) else { return nil }
        let found = try parts.user(0)
        let intents = try await intents(id, turn: found.turn)
        return ReadUser(
            // An intent counts from its commit.
            user: intents.reduce(touch.map { found.touched($0, now: now) } ?? found) { $0.settled($1.change) },
            range: owner.count > 0 ? try owner.int4(0, 0) : 0,
            owner: owner.count > 0 ? try owner.uuidOrNull(0, 1) : nil,
            isNew: isNew,
            isUnseen: isNew && touch == nil,
            hasProfile: parts.hasProfile(0),
            intents: intents
        )
    }

    package func devicesLeftOut(of user: UUID) async throws(PostgresError) -> DevicesLeftOut {
        try await run(.readLeftOut, [.uuid(user)]).decoded(at: 0, DevicesLeftOut.init(withoutToken:platforms:))
    }

    package func pauses() async throws(PostgresError) -> [Pause] { try Store.pauses(try await run(.pauses, [])) }

    package func daemons(most: Int = WorkStatus.most) async throws(PostgresError) -> [DaemonRow] {
        try await run(.daemons, [.int8(Int64(most))]).decoded(DaemonRow.init)
    }

    /// The next users of one of `ranges` who are due up to an instant, how many could not be read, and where the next
    /// page begins (nil: this was the last). The first begins at `.start`.
    package func due(
        in range: Int32,
        after cursor: Cursor,
        until end: Instant,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (users: [ClaimedUser], unreadable: Int, next: Cursor?) {
        let start: [Parameter] = [.int4(range), .timestamp(cursor.dueAt), .uuid(cursor.userID)]
        let people = try await run(.readDue, start + [.timestamp(end.endOfSecond), .int8(Int64(limit))])
        guard people.count > 0 else { return ([], 0, nil) }
        let ids = try people.map { row throws(PostgresError) in try people.uuid(row, 0) }
        let last = people.count - 1
        let next = Cursor(dueAt: try people.timestamp(last, 3), userID: ids[last])
        let found = try await users(ids, people, until: end, now: now)
        return (found.users, found.unreadable, people.count < limit ? nil : next)
    }

    /// The next users with touches that no sweep has drained, without those who are due by `end`: it makes them due.
    /// The first page begins after `Store.firstUser`.
    package func waiting(
        after user: UUID,
        until end: Instant,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (users: [ClaimedUser], unreadable: Int, next: UUID?) {
        let rows = try await run(.readWaiting, [.uuid(user), .timestamp(end.endOfSecond), .int8(Int64(limit))])
        let waiting = try rows.decoded { (user: UUID, isDue: Bool) in (user: user, isDue: isDue) }
        let found = try await users(waiting.filter { !$0.isDue }.map(\.user), until: end, now: now)
        return (found.users, found.unreadable, waiting.count < limit ? nil : waiting.last?.user)
    }

    /// Users, and how many could not be read.
    package typealias Found = (users: [ClaimedUser], unreadable: Int)

    /// These users, as the next sweep finds them. Users about whom neither nudged nor the app has data are left out.
    package func users(_ ids: [UUID], until end: Instant, now: Instant) async throws(PostgresError) -> Found {
        guard !ids.isEmpty else { return ([], 0) }
        return try await users(ids, try await run(.readUsers, [.uuidArray(ids)]), until: end, now: now)
    }

    private func users(_ ids: [UUID], _ rows: Rows, until: Instant, now: Instant) async throws(PostgresError) -> Found {
        let known = try rows.uuidSet()
        var found = (0..<rows.count).compactMap { try? ClaimedUser.Values(rows, $0) }
        let read = found.count
        for id in ids where !known.contains(id) {
            found.append(ClaimedUser.Values(userID: id, version: 0, dueAt: now.microseconds))
        }
        let parts = try await parts(of: found, until: until)
        let touches = try await touches(ids)
        var users = (0..<read).compactMap { try? parts.user($0) }
        let unreadable = known.count - users.count
        for place in read..<found.count where parts.isKnown(place) { users.append(try parts.user(place)) }
        users = users.map { user in touches[user.userID].map { user.touched($0, now: now) } ?? user }
        return (users, unreadable)
    }

    /// Fan-outs that are due up to an instant, the earliest first, with their authors' profiles.
    package func fanOuts(until end: Instant, limit: Int) async throws(PostgresError) -> [DueFanOut] {
        let rows = try await run(.dueFanOuts, [.timestamp(end.endOfSecond), .uuidArray([]), .int8(Int64(limit))])
        let fanOuts = try rows.map { row throws(PostgresError) in try DueFanOut(rows, row) }
        return try DueFanOut.joined(fanOuts, try await run(.claimProfiles, DueFanOut.authors(fanOuts)))
    }

    /// The next members whom a fan-out will tell. If the app's view fails, the reader can be used further.
    package func members(of fanOut: DueFanOut, limit: Int) async throws(PostgresError) -> [UUID] {
        try await transaction.attempt(Query.fanOutMembers(fanOut.page(limit))).decoded { (member: UUID) in member }
    }

    package func isMember(_ user: UUID, of fanOut: DueFanOut) async throws(PostgresError) -> Bool {
        let (type, id) = (fanOut.reminder.subjectType, fanOut.reminder.subjectID)
        return try await transaction.attempt(Query.fanOutMember([.text(type), .text(id), .uuid(user)])).bool(0, 0)
    }

    /// All ranges. Each has about the same number of users.
    package static let ranges = RangeWalk.all.compactMap(\.self)

    /// One user's record between two instants, the newest first.
    package func deliveries(
        of user: UUID,
        from: Instant,
        through: Instant,
        limit: Int
    ) async throws(PostgresError) -> [DeliveryRecord] {
        let span: [Parameter] = [.timestamp(from.microseconds), .timestamp(through.endOfSecond)]
        let rows = try await run(.readDeliveries, [.uuid(user)] + span + [.int8(Int64(limit))])
        return try rows.map { row throws(PostgresError) -> DeliveryRecord? in
            guard let outcome = DeliveryRecord.Outcome(rawValue: try rows.text(row, 5)) else { return nil }
            return DeliveryRecord(
                userID: user,
                kind: try rows.text(row, 0),
                key: try rows.text(row, 1),
                slot: try rows.dateOrNull(row, 2).map { LocalDate(days: $0) },
                deviceHash: try rows.text(row, 3),
                apnsID: try rows.uuidOrNull(row, 4),
                outcome: outcome,
                reason: try rows.textOrNull(row, 6),
                status: try rows.int2OrNull(row, 7).map { Int($0) },
                attemptedAt: Instant(microseconds: try rows.timestamp(row, 8)) ?? Instant(seconds: 0),
                decision: try rows.textOrNull(row, 9),
                template: try rows.int4OrNull(row, 10)
            )
        }.compactMap(\.self)
    }

    // MARK: Parts

    private func parts(of users: [ClaimedUser.Values], until end: Instant) async throws(PostgresError) -> UserParts {
        let parts = try await UserParts.read(users, until: end.endOfSecond, bytes: .max, isDistributed: isDistributed) {
            statements throws(PostgresError) in
            try await transaction.run(statements)
        }
        guard let parts else { throw PostgresError(.unexpectedResult, statement: Query.claimProfiles.name) }
        return parts
    }

    /// Of users with touches: the newest change; nil: only arrivals.
    private func touches(_ ids: [UUID]) async throws(PostgresError) -> [UUID: Instant?] {
        let rows = try await run(.readTouches, [.uuidArray(ids)])
        let touches = try rows.map { row throws(PostgresError) in
            (try rows.uuid(row, 0), try rows.timestampOrNull(row, 1).flatMap(Instant.init(microseconds:)))
        }
        return Dictionary(touches, uniquingKeysWith: { $1 })
    }

    private func intents(_ id: UUID, turn turnNow: Int32) async throws(PostgresError) -> [ReadUser.OpenIntent] {
        let rows = try await run(.readIntents, [.uuid(id)])
        return try rows.map { row throws(PostgresError) -> ReadUser.OpenIntent? in
            let attemptedAt = try rows.timestamp(row, 2)
            let (turn, content) = (try rows.int4(row, 3), try rows.bytes(row, 4))
            // A user of a later turn is settled.
            guard turnNow <= turn,
                let change = Change(userID: id, turn: turn, content: content, attemptedAt: attemptedAt, reason: "")
            else { return nil }
            let at = Instant(microseconds: attemptedAt) ?? Instant(seconds: 0)
            return ReadUser.OpenIntent(isAlive: try rows.bool(row, 1), attemptedAt: at, change: change)
        }.compactMap(\.self)
    }

    func run(_ query: Query, _ parameters: [Parameter] = []) async throws(PostgresError) -> Rows {
        try await transaction.run(query(parameters))
    }
}

extension Store {
    /// Passes a reader of one snapshot to the work. Meanwhile the server can't clean up dead rows: a minute, no more.
    /// On distributed tables the work may be done twice (a refusal ends a snapshot), with one for each machine.
    package func reading<T: Sendable>(
        within timeout: Duration? = nil,
        _ work: @Sendable (SnapshotReader) async throws -> T
    ) async throws -> T {
        let timeout = bounded(timeout)
        return try await asking { isDistributed async throws -> T in
            let connection = try await claims.connection()
            return try await connection.transaction(isSnapshot: true, settings: Self.pinnedPlans, timeout: timeout) {
                try await work(SnapshotReader(transaction: $0, isDistributed: isDistributed))
            }
        }
    }
}

/// A user who was read without being claimed.
package struct ReadUser: Sendable {
    /// An open intent: its pushes are being sent, or its daemon has died.
    package struct OpenIntent: Sendable, Equatable {
        /// Whether its member exists. If not, the intent is an orphan.
        package let isAlive: Bool
        /// The policy's now at the attempt.
        package let attemptedAt: Instant
        /// What is recorded if the outcomes stay unknown.
        package let change: Change

        package var pushes: [DeliveryRecord] { change.records.filter { $0.apnsID != nil } }
    }

    /// The user as a claim would read them. Waiting touches are applied, and open pushes count as sent.
    package var user: ClaimedUser
    package let range: Int32
    /// The daemon that owns the range; nil: it is free.
    package let owner: UUID?
    /// Whether the user has no row in `nudged.person` yet.
    package var isNew = false
    /// Whether no change waits, so that no drain inserts the row.
    package var isUnseen = false
    /// Whether `nudged.recipient` has a row of the user.
    package var hasProfile = true
    package var intents: [OpenIntent] = []
}

/// A user's devices that no claim reads.
package struct DevicesLeftOut: Sendable, Equatable {
    package var withoutToken: Int
    /// The platforms that the view leaves out, such as `android`; nil: none, or not known.
    package var platforms: String?
}

extension DevicesLeftOut { package init() { self.init(withoutToken: 0) } }
