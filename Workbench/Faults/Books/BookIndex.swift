/// The data of both sides, indexed for the comparison.
struct BookIndex {
    let books: Books
    let allowance: Allowance
    let people: [String: FaultRecipient]
    /// The user of each token.
    let owner: [String: FaultRecipient]
    let due: [String: [Books.Due]]
    /// By token.
    let accepted: [String: [Books.Accepted]]
    let acceptedByUser: [String: [Books.Accepted]]
    let unknown: [Books.Recorded]
    /// By apns-id.
    let outcomes: [String: [String]]
    private let rows: [String: [Books.Recorded]]
    private let byID: [String: Books.Recorded]

    init(_ books: Books, _ allowance: Allowance) {
        self.books = books
        self.allowance = allowance
        people = Dictionary(books.people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let owner = Dictionary(
            books.people.flatMap { person in person.devices.map { ($0.token, person) } },
            uniquingKeysWith: { first, _ in first }
        )
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
        return found.isEmpty ? "nothing is recorded" : "recorded as \(found)"
    }

    /// How often a push may arrive: a check-in once, a message or reminder twice if its outcome was unknown
    /// (docs/GUARANTEES.md, promise 2).
    func mostTimes(_ apnsID: String) -> Int {
        guard let row = byID[apnsID], row.kind != "check_in" else { return 1 }
        return outcomes[apnsID]?.contains("unknown") == true ? 2 : 1
    }

    /// When each nudge of these pushes was first accepted. A nudge counts once, however many devices and attempts it
    /// has.
    func nudges(_ pushes: [Books.Accepted]) -> [Int64] {
        let byNudge = Dictionary(grouping: pushes) { push in
            // Pushes whose record was removed count as one nudge, because two slots of a user are never that close.
            allowance.recordLost.contains(push.apnsID)
                ? "taken away" : byID[push.apnsID].map { "\($0.kind) \($0.key)" } ?? push.apnsID
        }
        return byNudge.values.compactMap { $0.map(\.at).min() }
    }
}
