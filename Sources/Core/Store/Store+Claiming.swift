package import FoundationEssentials
package import Postgres
package import TimeZones

/// Claims: plain SELECTs in the ranges that a daemon owns. They lock nothing and write nothing.
extension Store {
    /// A walk ends after so many statements, even if each finds few users.
    private static let rounds = 24
    private static let suspectTime = Duration.seconds(1)
    /// The time-out of a claim's first attempt to read users' parts.
    private static let partTime = Duration.seconds(3)

    /// Finds users who are due, with everything that the policy needs about them. Users of orphans are left out.
    ///
    /// - Parameters:
    ///   - startingOver: true: from the start; false: from where the last claim ended.
    ///   - member: the daemon's membership; nil: for a caller that only looks.
    ///   - intents: the open intents whose users the daemon has all in hand. Users of its others are left out.
    ///   - onRefused: called for users who can't be read. They stay due.
    /// - Returns: the earliest due first. Complete: every range was read to its end; others who are due were skipped.
    package func claim(
        ranges: [Int32],
        now: Instant,
        startingOver: Bool = true,
        limit: Int,
        inHand: Set<UUID> = [],
        member: UUID? = nil,
        intents: [UUID] = [],
        onRefused: (Refusal) -> Void = { _ in }
    ) async throws(PostgresError) -> (users: [ClaimedUser], isComplete: Bool) {
        guard !ranges.isEmpty, limit > 0 else { return ([], true) }
        if startingOver || !claiming.with({ $0.walk.covers(ranges) }) {
            try await lookForFloor(ranges, now: now)
            claiming.with { $0.walk = RangeWalk(over: ranges, from: $0.floor.cursor) }
        }
        var search = Search(ranges: ranges, now: now, limit: limit, member: member, intents: intents, inHand: inHand)
        search.skipped = claiming.with { $0.aside.skipped(at: Claiming.now()) }
        defer { for refusal in search.refused { onRefused(refusal) } }
        try await findExpress(&search)
        // Users of urgent messages don't wait until others are read.
        if search.people.isEmpty { try await walk(&search) }
        try await read(&search)
        let users = search.users.sorted { ($0.dueAt, $0.userID) < ($1.dueAt, $1.userID) }
        return (users, search.isComplete && !search.isCutShort)
    }

    /// What one claim has found so far.
    private struct Search {
        let ranges: [Int32]
        let now: Instant
        let limit: Int
        let member: UUID?
        let intents: [UUID]
        let inHand: Set<UUID>
        var skipped: [UUID] = []
        var people: [ClaimedUser.Values] = []
        /// Every range was read to its end.
        var isComplete = false
        var users: [ClaimedUser] = []
        /// Bytes of their preferences and contexts.
        var bytes: Int64 = 0
        var refused: [Refusal] = []
        /// Users were left for the next claim.
        var isCutShort = false

        var wanted: Int { limit - people.count - refused.count }

        /// For `Query.claimPeople`. Users who are due by `until` are read; microseconds since 1970.
        func parameters(_ ask: Ask, until: Int64, limit: Int, skipped: [UUID]) -> [Parameter] {
            [
                .timestamp(until), .timestamp(ask.after.dueAt), .uuid(ask.after.userID), .int8(Int64(limit)),
                .int4Array(ask.ranges), .uuidArray(skipped), .uuid(member), .uuidArray(intents),
            ]
        }
    }

    /// Skips a user in drains and claims, for as long as the cause asks.
    package func skip(_ refusal: Refusal) { claiming.with { $0.aside.skip(refusal, at: Claiming.now()) } }

    private typealias Ask = RangeWalk.Ask
    private typealias Person = ClaimedUser.Values

    // MARK: Who is due

    private func walk(_ search: inout Search) async throws(PostgresError) {
        for _ in 0..<Self.rounds where search.wanted > 0 {
            let wanted = search.wanted
            let ask = claiming.with { $0.walk.ask }
            let (count, last) = try await find(&search, ask, until: search.now.endOfSecond)
            if claiming.with({ $0.walk.took(isFull: count >= wanted, last: last) }) {
                search.isComplete = true
                return
            }
        }
    }

    private func findExpress(_ search: inout Search) async throws(PostgresError) {
        let asked = Claiming.now()
        guard claiming.with({ $0.express.isDue(at: asked) }) else { return }
        let ask = Ask(ranges: search.ranges, after: .start)
        // Mostly there is none, and the list of the users in hand is long.
        let first = search.parameters(ask, until: LookPace.expressHorizon, limit: 1, skipped: [])
        if try await one(claims, .claimPeople, first).count > 0 {
            _ = try await find(&search, ask, until: LookPace.expressHorizon)
        }
        claiming.with { $0.express.took(asked: asked, answered: Claiming.now()) }
    }

    /// - Returns: how many rows came, and the position of the last one that could be read.
    private func find(_ search: inout Search, _ ask: Ask, until: Int64) async throws(PostgresError) -> (Int, Cursor?) {
        let skipped = ask.goesOn ? search.skipped : search.skipped + search.inHand
        let parameters = search.parameters(ask, until: until, limit: search.wanted, skipped: skipped)
        let rows = try await one(claims, .claimPeople, parameters)
        var last: Cursor?
        for row in 0..<rows.count {
            let user = try rows.uuid(row, 0)
            if search.inHand.contains(user) {
                last = Cursor(dueAt: try rows.timestamp(row, 3), userID: user)
                continue
            }
            search.skipped.append(user)
            do throws(PostgresError) {
                let person = try ClaimedUser.Values(rows, row)
                last = Cursor(dueAt: person.dueAt, userID: user)
                search.people.append(person)
            } catch { refuse(user, error, &search) }
        }
        return (rows.count, last)
    }

    /// Every few seconds: the instant before which no user is due.
    private func lookForFloor(_ ranges: [Int32], now: Instant) async throws(PostgresError) {
        let asked = Claiming.now()
        guard claiming.with({ $0.floor.isDue(for: ranges, at: asked) }) else { return }
        let limit = Parameter.int8(Int64(DueFloor.rowLimit))
        let rows = try await one(claims, .dueFloor, [.timestamp(now.endOfSecond), .int4Array(ranges), limit])
        let count = Int(try rows.int8(0, 0))
        let oldest = try rows.timestampOrNull(0, 1)
        claiming.with {
            $0.floor.took(ranges, count: count, oldest: oldest, now: now, asked: asked, answered: Claiming.now())
        }
    }

    // MARK: Their parts

    /// Reads the parts of those who were found, suspects alone after the others, up to `UserParts.profileBytes`.
    private func read(_ search: inout Search) async throws(PostgresError) {
        let suspects = claiming.with { $0.aside.suspects(at: Claiming.now()) }
        let others = suspects.isEmpty ? search.people : search.people.filter { !suspects.contains($0.userID) }
        do throws(PostgresError) {
            try await read(others, &search)
        } catch {
            // A view of the app can end the session, or swallow its time-out. Then the next claim reads each of them
            // alone. After an outage of the server that takes a second.
            if error.isCut { for person in others { suspect(person.userID) } }
            throw error
        }
        let alone = suspects.isEmpty ? [] : search.people.filter { suspects.contains($0.userID) }
        try await readSingly(alone, &search)
    }

    private func read(_ people: [Person], _ search: inout Search) async throws(PostgresError) {
        var pieces = Bisection(people)
        // If the texts have too many bytes at once, fewer users are read.
        while let piece = pieces.next(), !search.isCutShort {
            var isTooMuch = false
            try await bisecting(
                piece,
                probe: { () async throws(PostgresError) in try await readNobody() },
                refused: { (person, error) async throws(PostgresError) in
                    search.refused.append(try await blamed(person.userID, error))
                },
                work: { (people, patience) async throws(PostgresError) in
                    guard !isTooMuch else { return }
                    isTooMuch = try await !add(people, patience.statement ?? Self.partTime, &search)
                }
            )
            guard isTooMuch else { continue }
            let done = Set(search.refused.map(\.userID) + search.users.map(\.userID))
            let left = piece.filter { !done.contains($0.userID) }
            if search.users.isEmpty { _ = pieces.refused(left) } else { search.isCutShort = true }
        }
    }

    /// Reads one after another, each for at most a second, until the time for suspects is over.
    private func readSingly(_ people: [Person], _ search: inout Search) async throws(PostgresError) {
        let end = ContinuousClock.now + Self.suspectTime
        // A user who was read when the connection was lost is read again: the server may have restarted at this moment.
        var lost: UUID?
        var left = people[...]
        while let person = left.first {
            guard ContinuousClock.now < end else {
                for one in left { claiming.with { $0.aside.skip(one.userID, at: Claiming.now()) } }
                return
            }
            do throws(PostgresError) {
                let isRead = try await add([person], .seconds(1), &search)
                if isRead { claiming.with { $0.aside.clear(person.userID) } } else { search.isCutShort = true }
            } catch {
                if error.code == .connectionLost, lost != person.userID {
                    lost = person.userID
                    continue
                }
                if error.isCut {
                    suspect(person.userID)
                    let views = "nudged.recipient or nudged.device"
                    search.refused.append(Refusal(person.userID, error, column: views, locks: false))
                } else {
                    guard error.isAboutContent || error.code == .refusedByServer else { throw error }
                    try await readNobody()
                    search.refused.append(try await blamed(person.userID, error))
                }
            }
            left.removeFirst()
        }
    }

    /// Fails if the database refuses the reads, even for no user.
    private func readNobody() async throws(PostgresError) {
        _ = try await parts(of: [], until: 0, bytes: .max, timeout: .seconds(1))
    }

    /// Reads these users' parts. False: they have too many bytes beside what was read already.
    private func add(_ people: [Person], _ time: Duration, _ search: inout Search) async throws(PostgresError) -> Bool {
        guard !people.isEmpty else { return true }
        let left = UserParts.profileBytes - search.bytes
        let parts = try await parts(of: people, until: search.now.endOfSecond, bytes: left, timeout: time)
        guard let parts, search.users.isEmpty || parts.bytes <= left else { return false }
        search.bytes += parts.bytes
        for place in people.indices {
            do throws(PostgresError) {
                search.users.append(try parts.user(place))
            } catch { refuse(people[place].userID, error, &search) }
        }
        return true
    }

    private func parts(
        of users: [Person],
        until: Int64,
        bytes: Int64,
        timeout: Duration
    ) async throws(PostgresError) -> UserParts? {
        try await asking { isDistributed throws(PostgresError) in
            try await UserParts.read(users, until: until, bytes: bytes, isDistributed: isDistributed) {
                statements throws(PostgresError) in
                try await transaction(claims, statements, Patience(statement: timeout))
            }
        }
    }

    // MARK: Who can't be read

    private func suspect(_ user: UUID) { claiming.with { $0.aside.suspect(user, at: Claiming.now()) } }

    private func refuse(_ user: UUID, _ error: PostgresError, _ search: inout Search) {
        suspect(user)
        search.refused.append(Refusal(user, error))
    }

    /// The columns that claims read, by the statement that reads them.
    private static let probes: [(reads: String, probe: Query, relation: String, columns: [String])] = [
        (
            "claim_profiles", .probeProfile, "nudged.recipient",
            ["preferences", "timezone", "first_session_complete", "context"]
        ),
        ("claim_devices", .probeDevices, "nudged.device", ["token", "registered_at", "environment", "topic"]),
        (
            "claim_messages", .probeMessages, "nudged.message",
            ["title", "body", "data", "category", "thread_id", "collapse_key", "apns", "deliver_local", "texts"]
        ),
        (
            "claim_reminders", .probeReminders, "nudged.occurrence",
            ["subject_type", "subject_id", "title", "body", "apns", "due_local", "timezone", "recurrence"]
        ),
    ]

    /// Finds the refused column of a user who was refused alone: reads each column alone.
    private func blamed(_ user: UUID, _ error: PostgresError) async throws(PostgresError) -> Refusal {
        suspect(user)
        let name = error.statement ?? ""
        guard let probe = Self.probes.first(where: { name.hasPrefix($0.reads) }) else {
            return Refusal(user, error, locks: false)
        }
        for column in probe.columns {
            do throws(PostgresError) {
                let statement = probe.probe([.uuid(user), .text(column)])
                _ = try await transaction(claims, [statement], Patience(statement: .seconds(1)))
            } catch {
                guard error.isAboutContent || error.code == .refusedByServer else { throw error }
                return Refusal(user, error, column: "\(probe.relation).\(column)", locks: false)
            }
        }
        return Refusal(user, error, column: probe.relation, locks: false)
    }

    // MARK: Tables on several machines

    /// Runs the statements for plain tables. If the database refuses them and runs those for distributed tables, these
    /// are used from then on (docs/SCALING.md). A view of the app can raise the same error, for both.
    func asking<T, E: Error>(_ ask: (_ isDistributed: Bool) async throws(E) -> T) async throws(E) -> T {
        let isDistributed = claiming.isDistributed
        do throws(E) {
            return try await ask(isDistributed)
        } catch {
            guard (error as? PostgresError)?.sqlState == Self.notSupported, !isDistributed else { throw error }
        }
        let answer = try await ask(true)
        claiming.with { $0.isDistributed = true }
        return answer
    }
}
