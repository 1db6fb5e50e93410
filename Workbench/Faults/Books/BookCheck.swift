/// The result of comparing both sides. It depends on the data alone.
struct BookCheck: Sendable {
    /// The rows of each breach, as text.
    private(set) var found: [Breach: [String]] = [:]
    let unknown: Int

    var isClean: Bool { found.isEmpty }

    /// For a script that compares by itself.
    init(unknown: Int) { self.unknown = unknown }

    init(_ books: Books, allowing allowance: Allowance = Allowance()) {
        let comparison = Comparison(books, allowance)
        comparison.check()
        (found, unknown) = (comparison.found, comparison.unknown.count)
    }

    mutating func add(_ breach: Breach, _ text: String) { found[breach, default: []].append(text) }
}

/// Finds the breaches. It is made for one comparison.
private final class Comparison {
    private let books: Books
    private let allowance: Allowance
    private(set) var found: [Breach: [String]] = [:]
    private(set) lazy var unknown = books.record.filter { $0.outcome == "unknown" }
    private lazy var people = Dictionary(books.people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    private lazy var owner = Population.owners(books.people)
    private lazy var due = Dictionary(grouping: books.due, by: \.user)
    private lazy var accepted = Dictionary(grouping: books.accepted, by: \.token)
    private lazy var outcomes = Dictionary(grouping: books.record.filter { !$0.apnsID.isEmpty }, by: \.apnsID)
        .mapValues { $0.map(\.outcome) }
    private lazy var rows = Dictionary(grouping: books.record) { "\($0.user) \($0.kind) \($0.key)" }
    private lazy var byID = Dictionary(books.record.map { ($0.apnsID, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ books: Books, _ allowance: Allowance) { (self.books, self.allowance) = (books, allowance) }

    func check() {
        checkDue()
        checkAccepted()
        checkLimits()
        checkRecord()
        checkTokens()
        checkUnknown()
        for id in books.open { add(.leftOpen, "apns-id \(id)") }
        for user in books.left { add(.leftDue, user) }
    }

    private func add(_ breach: Breach, _ text: String) { found[breach, default: []].append(text) }

    /// Every device of a due nudge got its push, or the record says why not.
    private func checkDue() {
        for due in books.due where due.isCertain && !allowance.changed.contains(due.user) {
            guard let person = people[due.user] else { continue }
            for device in person.served where accepted[device.token] == nil {
                let (hash, start) = (books.hashes[device.token] ?? "", device.token.prefix(8))
                guard !isEnded(due, hash) else { continue }
                add(.lost, "\(due.kind) \(due.key) of \(due.user) to \(start)…: \(text(due, hash))")
            }
        }
    }

    /// No push came twice, and none came to users without a due nudge.
    private func checkAccepted() {
        for (token, pushes) in accepted {
            let start = token.prefix(8)
            guard let person = owner[token] else {
                add(.notDue, "an unknown token \(start)…")
                continue
            }
            if allowance.changed.contains(person.id) { continue }
            let due = due[person.id] ?? []
            if !person.served.contains(where: { $0.token == token }) {
                add(.notDue, "\(person.id) on a device that nudged must not push to, \(start)…")
            }
            if due.isEmpty {
                add(.notDue, "\(person.id) at \(pushes.map(\.at)): \(person.preferences ?? "no preferences")")
            }
            for (id, same) in Dictionary(grouping: pushes, by: \.apnsID) where same.count > mostTimes(id) {
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
    private func checkLimits() {
        for (user, pushes) in Dictionary(grouping: books.accepted, by: { owner[$0.token]?.id ?? "" }) {
            guard let person = people[user] else { continue }
            if let quiet = person.quiet {
                for push in pushes where push.localMinute.map(quiet.holds(minute:)) == true {
                    let minute = "minute \(push.localMinute ?? -1) of their day"
                    add(.quiet, "\(user) at \(push.at), \(minute), quiet \(quiet.start) to \(quiet.end)")
                }
            }
            let nudges = nudges(pushes)
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

    private func checkRecord() {
        for push in books.accepted {
            if allowance.recordLost.contains(push.apnsID) { continue }
            let outcomes = outcomes[push.apnsID] ?? []
            if !outcomes.contains(where: { $0 == "accepted" || $0 == "unknown" }) {
                add(.misrecorded, "accepted at \(push.at), apns-id \(push.apnsID), recorded as \(outcomes)")
            }
        }
        let taken = Set(books.accepted.map(\.apnsID))
        for row in books.record where row.outcome == "accepted" && !taken.contains(row.apnsID) {
            let push = "\(row.user), \(row.key), apns-id \(row.apnsID)"
            add(.misrecorded, "recorded as accepted, but Apple does not have it: \(push)")
        }
    }

    private func checkTokens() {
        for device in books.people.flatMap(\.devices) where !books.tokensLeft.contains(device.token) {
            if allowance.tokensTaken.contains(device.token) { continue }
            if device.mayBeDeleted, books.answeredGone.contains(device.token) { continue }
            let start = device.token.prefix(8)
            add(.wronglyDeleted, "\(start)…, registered \(device.registeredAt), answer \(device.answer)")
        }
    }

    private func checkUnknown() {
        let beyond = unknown.filter {
            !allowance.openAtKill.contains($0.apnsID) && !allowance.stoodStill.contains($0.apnsID)
        }
        if beyond.count > allowance.further {
            for row in beyond { add(.unknownBeyond, "\(row.user), \(row.kind) \(row.key), apns-id \(row.apnsID)") }
        }
        let known = Set(unknown.map(\.apnsID))
        for id in allowance.openAtKill.subtracting(known).sorted() {
            add(.notUnknown, "apns-id \(id), recorded as \(outcomes[id] ?? [])")
        }
    }

    private func rows(_ due: Books.Due, _ hash: String) -> [Books.Recorded] {
        (rows["\(due.user) \(due.kind) \(due.key)"] ?? []).filter { $0.deviceHash.isEmpty || $0.deviceHash == hash }
    }

    /// Whether the record has an outcome other than accepted or deferred, for this device or for the whole nudge.
    private func isEnded(_ due: Books.Due, _ hash: String) -> Bool {
        rows(due, hash).contains { ["rejected", "dropped", "skipped", "unknown"].contains($0.outcome) }
    }

    private func text(_ due: Books.Due, _ hash: String) -> String {
        let found = rows(due, hash).map(\.outcome)
        let next = books.next[due.user] ?? "the user has no row"
        return found.isEmpty ? "nothing is recorded; \(next)" : "recorded as \(found); \(next)"
    }

    /// How often a push may arrive: once, or twice if it is no check-in and was unknown (promise 2 of GUARANTEES.md).
    private func mostTimes(_ apnsID: String) -> Int {
        guard let row = byID[apnsID], row.kind != "check_in" else { return 1 }
        return outcomes[apnsID]?.contains("unknown") == true ? 2 : 1
    }

    /// When each nudge was first accepted. It counts once, however many devices and attempts it has.
    private func nudges(_ pushes: [Books.Accepted]) -> [Int64] {
        func name(_ row: Books.Recorded) -> String { "\(row.kind) \(row.key)" }
        // Pushes whose record is lost count as the user's check-in, because two slots of a user are never that close.
        let lost = pushes.compactMap { byID[$0.apnsID] }.first { $0.kind == "check_in" }.map(name) ?? "lost"
        let byNudge = Dictionary(grouping: pushes) { push in
            allowance.recordLost.contains(push.apnsID) ? lost : byID[push.apnsID].map(name) ?? push.apnsID
        }
        return byNudge.values.compactMap { $0.map(\.at).min() }
    }
}
