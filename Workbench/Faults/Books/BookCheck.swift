/// The result of comparing both sides. It depends on the data alone.
struct BookCheck: Sendable, Equatable {
    /// The rows of each breach, as text.
    private(set) var found: [Breach: [String]] = [:]
    let unknown: Int

    var isClean: Bool { found.isEmpty }

    /// For a script that compares by itself.
    init(unknown: Int) { self.unknown = unknown }

    init(_ books: Books, allowing allowance: Allowance = Allowance()) {
        let index = BookIndex(books, allowance)
        unknown = index.unknown.count
        checkDue(index)
        checkAccepted(index)
        checkLimits(index)
        checkRecord(index)
        checkTokens(index)
        checkUnknown(index)
        for id in books.open { add(.leftOpen, "apns-id \(id)") }
        for user in books.left { add(.leftDue, user) }
    }

    mutating func add(_ breach: Breach, _ text: String) { found[breach, default: []].append(text) }

    /// Every device of a due nudge got its push, or the record says why not.
    private mutating func checkDue(_ index: BookIndex) {
        for due in index.books.due where due.isCertain && !index.allowance.changed.contains(due.user) {
            guard let person = index.people[due.user] else { continue }
            for device in person.served where index.accepted[device.token] == nil {
                let (hash, start) = (index.books.hashes[device.token] ?? "", device.token.prefix(8))
                guard !index.isEnded(due, hash) else { continue }
                add(.lost, "\(due.kind) \(due.key) of \(due.user) to \(start)…: \(index.text(due, hash))")
            }
        }
    }

    /// No push came twice, and none came to users without a due nudge.
    private mutating func checkAccepted(_ index: BookIndex) {
        for (token, pushes) in index.accepted {
            let start = token.prefix(8)
            guard let person = index.owner[token] else {
                add(.notDue, "an unknown token \(start)…")
                continue
            }
            if index.allowance.changed.contains(person.id) { continue }
            let due = index.due[person.id] ?? []
            if !person.served.contains(where: { $0.token == token }) {
                add(.notDue, "\(person.id) on a device that nudged must not push to, \(start)…")
            }
            if due.isEmpty {
                add(.notDue, "\(person.id) at \(pushes.map(\.at)): \(person.preferences ?? "no preferences")")
            }
            for (id, same) in Dictionary(grouping: pushes, by: \.apnsID) where same.count > index.mostTimes(id) {
                add(.doubled, "\(person.id), apns-id \(id), at \(same.map(\.at))")
            }
            // Also with different ids: a device gets at most as many pushes as nudges were due.
            let different = Set(pushes.map(\.apnsID)).count
            if !due.isEmpty, different > due.count {
                let times = "for \(due.count) nudges, at \(pushes.map(\.at))"
                add(.doubled, "\(person.id) got \(different) pushes on \(start)… \(times)")
            }
        }
    }

    /// Counts by the instants at which Apple accepted the pushes, not by the daemon's.
    private mutating func checkLimits(_ index: BookIndex) {
        for (user, pushes) in index.acceptedByUser {
            guard let person = index.people[user] else { continue }
            if let quiet = person.quiet {
                for push in pushes where push.localMinute.map(quiet.holds(minute:)) == true {
                    let minute = "minute \(push.localMinute ?? -1) of their day"
                    add(.quiet, "\(user) at \(push.at), \(minute), quiet \(quiet.start) to \(quiet.end)")
                }
            }
            let nudges = index.nudges(pushes)
            for (limit, window) in [(person.maxPerHour, Int64(3600)), (person.maxPerDay, 86_400)] {
                guard let limit else { continue }
                let all = person.sent.map { $0 * 1000 } + nudges
                for at in nudges {
                    let count = all.count { $0 <= at && $0 > at - window * 1000 }
                    if count > limit { add(.overLimit, "\(user): \(count) in \(window) s at \(at), \(limit) allowed") }
                }
            }
        }
    }

    private mutating func checkRecord(_ index: BookIndex) {
        for push in index.books.accepted {
            if index.allowance.recordLost.contains(push.apnsID) { continue }
            let outcomes = index.outcomes[push.apnsID] ?? []
            if !outcomes.contains(where: { $0 == "accepted" || $0 == "unknown" }) {
                add(.misrecorded, "accepted at \(push.at), apns-id \(push.apnsID), recorded as \(outcomes)")
            }
        }
        let taken = Set(index.books.accepted.map(\.apnsID))
        for row in index.books.record where row.outcome == "accepted" && !taken.contains(row.apnsID) {
            let push = "\(row.user), \(row.key), apns-id \(row.apnsID)"
            add(.misrecorded, "recorded as accepted, but Apple does not have it: \(push)")
        }
    }

    private mutating func checkTokens(_ index: BookIndex) {
        for device in index.books.people.flatMap(\.devices) where !index.books.tokensLeft.contains(device.token) {
            if index.allowance.tokensTaken.contains(device.token) { continue }
            if device.mayBeDeleted, index.books.answeredGone.contains(device.token) { continue }
            let start = device.token.prefix(8)
            add(.wronglyDeleted, "\(start)…, registered \(device.registeredAt), answer \(device.answer)")
        }
    }

    private mutating func checkUnknown(_ index: BookIndex) {
        let allowance = index.allowance
        let beyond = index.unknown.filter {
            !allowance.openAtKill.contains($0.apnsID) && !allowance.stoodStill.contains($0.apnsID)
        }
        if beyond.count > index.allowance.further {
            for row in beyond { add(.unknownBeyond, "\(row.user), \(row.kind) \(row.key), apns-id \(row.apnsID)") }
        }
        let known = Set(index.unknown.map(\.apnsID))
        for id in index.allowance.openAtKill.subtracting(known).sorted() {
            add(.notUnknown, "apns-id \(id), recorded as \(index.outcomes[id] ?? [])")
        }
    }
}

struct BookIndex {
    let books: Books
    let allowance: Allowance
    let people: [String: FaultRecipient]
    let owner: [String: FaultRecipient]
    let due: [String: [Books.Due]]
    let accepted: [String: [Books.Accepted]]
    let acceptedByUser: [String: [Books.Accepted]]
    let unknown: [Books.Recorded]
    let outcomes: [String: [String]]
    private let rows: [String: [Books.Recorded]]
    private let byID: [String: Books.Recorded]

    init(_ books: Books, _ allowance: Allowance) {
        self.books = books
        self.allowance = allowance
        people = Dictionary(books.people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let owner = Population.owners(books.people)
        self.owner = owner
        due = Dictionary(grouping: books.due, by: \.user)
        accepted = Dictionary(grouping: books.accepted, by: \.token)
        acceptedByUser = Dictionary(grouping: books.accepted) { owner[$0.token]?.id ?? "" }
        unknown = books.record.filter { $0.outcome == "unknown" }
        outcomes = Dictionary(grouping: books.record.filter { !$0.apnsID.isEmpty }, by: \.apnsID)
            .mapValues { $0.map(\.outcome) }
        rows = Dictionary(grouping: books.record) { "\($0.user) \($0.kind) \($0.key)" }
        byID = Dictionary(books.record.map { ($0.apnsID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func rows(_ due: Books.Due, _ hash: String) -> [Books.Recorded] {
        (rows["\(due.user) \(due.kind) \(due.key)"] ?? []).filter { $0.deviceHash.isEmpty || $0.deviceHash == hash }
    }

    /// Whether the record has an outcome other than accepted or deferred, for this device or for the whole nudge.
    func isEnded(_ due: Books.Due, _ hash: String) -> Bool {
        rows(due, hash).contains { ["rejected", "dropped", "skipped", "unknown"].contains($0.outcome) }
    }

    func text(_ due: Books.Due, _ hash: String) -> String {
        let found = rows(due, hash).map(\.outcome)
        let next = books.next[due.user] ?? "the user has no row"
        return found.isEmpty ? "nothing is recorded; \(next)" : "recorded as \(found); \(next)"
    }

    /// How often a push may arrive: once, or twice if it is no check-in and was unknown (docs/GUARANTEES.md, promise
    /// 2).
    func mostTimes(_ apnsID: String) -> Int {
        guard let row = byID[apnsID], row.kind != "check_in" else { return 1 }
        return outcomes[apnsID]?.contains("unknown") == true ? 2 : 1
    }

    /// When each nudge was first accepted. It counts once, however many devices and attempts it has.
    func nudges(_ pushes: [Books.Accepted]) -> [Int64] {
        func name(_ row: Books.Recorded) -> String { "\(row.kind) \(row.key)" }
        // Pushes whose record is lost count as the user's check-in, because two slots of a user are never that close.
        let lost = pushes.lazy.compactMap { byID[$0.apnsID] }.first { $0.kind == "check_in" }.map(name) ?? "lost"
        let byNudge = Dictionary(grouping: pushes) { push in
            allowance.recordLost.contains(push.apnsID) ? lost : byID[push.apnsID].map(name) ?? push.apnsID
        }
        return byNudge.values.compactMap { $0.map(\.at).min() }
    }
}
