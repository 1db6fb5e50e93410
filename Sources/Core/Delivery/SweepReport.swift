import JSON
import Policy

/// What a sweep did. Counted only here: the journal's line, `nudged status` and the metrics show these.
package struct SweepReport: Sendable, Equatable {
    /// Users claimed and planned.
    package var users = 0
    package var record = RecordTally()
    /// Pushes that were not written. Their users are evaluated again.
    package var unsent = 0
    package var tokensDeleted = 0
    /// Users who got nothing, by the policy's reason. Other reasons: `timezone_unreadable` or `row_unreadable` if
    /// the policy could not be evaluated, and `declined` if the decision service or a fallback declined everything.
    package var resting: [String: Int] = [:]
    /// Users who may get something now, by the policy.
    package var sending = 0
    /// Decisions by the decision service, or by a fallback in its place.
    package var decisions: [DecisionOutcome.Kind: Int] = [:]
    /// Users whose nudges went on without a question to the configured service, since the user does not consent.
    package var withoutConsent = 0
    /// Users who changed between plan and push. They are evaluated again.
    package var changed = 0
    /// Pushes of orphans, recorded as unknown.
    package var recovered = 0
    /// Settlements that came after the membership had ended. Another daemon records their pushes as unknown.
    package var fenced = 0
    /// Users served: sent to, or found to get nothing now.
    package var served = 0
    /// Milliseconds from the sweep's start until its last user is let go.
    package var milliseconds: Int64 = 0
    /// Whether it ran to its end on a usable schema, and the database accepted drain, claim and settlements.
    package var isAccepted = false
    /// Whether it was accepted while at least one lane could send.
    package var isGood = false

    package var sent: Int { record.count(.accepted) }
    package var rejected: Int { record.count(.rejected) }
    package var deferred: Int { record.count(.deferred) }
    package var unknown: Int { record.count(.unknown) }
    package var skipped: Int { record.count(.skipped) }
    package var dropped: Int { record.count(.dropped) }

    package static let zonesUnread = "timezone_unreadable"
    /// A reason in `resting`: a row can't be read until it changes, or a newer version wrote it.
    package static let rowUnreadable = "row_unreadable"

    package init() {}

    package var isWorthALine: Bool {
        sent + rejected + deferred + unknown + skipped + dropped + tokensDeleted + recovered + fenced > 0
    }

    /// One line. Zeros are left out, except for what was sent.
    package var text: String {
        var parts = ["sent \(sent)"]
        for (count, word) in [
            (rejected, "rejected"), (deferred, "deferred"), (unknown, "unknown"), (skipped, "skipped"),
            (dropped, "dropped"), (tokensDeleted, "tokens deleted"), (recovered, "recovered as unknown"),
        ] where count > 0 { parts.append("\(word) \(count)") }
        return parts.joined(separator: ", ") + " of \(users) \(users == 1 ? "user" : "users") in \(milliseconds) ms"
    }

    /// Grows with everything that was done, but not with unsent pushes or what could not be read.
    package var progress: Int {
        sent + rejected + deferred + unknown + skipped + dropped + recovered + fenced + resting.values.reduce(0, +)
            - resting[Self.zonesUnread, default: 0] - resting[Self.rowUnreadable, default: 0]
    }

    /// For the journal and for JSON, in this order.
    package var counts: [(name: String, count: Int)] {
        [
            ("users", users), ("sent", sent), ("rejected", rejected), ("deferred", deferred), ("unknown", unknown),
            ("unsent", unsent), ("skipped", skipped), ("dropped", dropped), ("changed", changed),
            ("recovered", recovered), ("fenced", fenced), ("tokens_deleted", tokensDeleted),
            ("without_consent", withoutConsent),
        ]
    }

    package var json: String {
        let reasons = resting.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) }
        return (Fields(counts) + ["resting": Fields(reasons), "duration_ms": milliseconds]).document
    }
}

/// Rows of the record, counted by kind and outcome. A flat array, since it counts every push.
package struct RecordTally: Sendable, Equatable {
    private static let kinds = NudgeKind.allCases.map(\.rawValue)
    private static let outcomes = DeliveryRecord.Outcome.allCases

    /// The number of each outcome, kind by kind. The last group is for kinds that this version doesn't know.
    private var counts = Array(repeating: 0, count: (Self.kinds.count + 1) * Self.outcomes.count)

    mutating func enter(_ outcome: DeliveryRecord.Outcome, of kind: String, _ count: Int = 1) {
        counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] += count
    }

    mutating func add(_ other: Self) { for (place, count) in other.counts.enumerated() { counts[place] += count } }

    /// Rows with this outcome. nil: of all kinds.
    package func count(_ outcome: DeliveryRecord.Outcome, of kind: String? = nil) -> Int {
        if let kind { return counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] }
        return (0...Self.kinds.count).reduce(0) { $0 + counts[Self.place(outcome, $1)] }
    }

    private static func place(_ outcome: DeliveryRecord.Outcome, _ kind: Int?) -> Int {
        (kind ?? kinds.count) * outcomes.count + (outcomes.firstIndex(of: outcome) ?? 0)
    }
}
