import Policy
package import Store

/// How many rows of the record there were, by kind and outcome. Entering one is an addition: it is done for each push.
package struct RecordTally: Sendable, Equatable {
    private static let kinds = NudgeKind.allCases.map(\.rawValue)
    private static let outcomes = DeliveryRecord.Outcome.allCases

    /// Kind by kind, each with its outcomes; at the end those of a kind that this version does not know. Empty: none yet.
    private var counts: [Int] = []

    /// Counts rows of a kind (`check_in`, `message`, `reminder`).
    mutating func enter(_ outcome: DeliveryRecord.Outcome, of kind: String, _ count: Int = 1) {
        if counts.isEmpty { counts = Array(repeating: 0, count: (Self.kinds.count + 1) * Self.outcomes.count) }
        counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] += count
    }

    /// Counts a row.
    mutating func enter(_ record: DeliveryRecord) { enter(record.outcome, of: record.kind) }

    /// Adds another's.
    mutating func add(_ other: RecordTally) {
        if counts.isEmpty {
            self = other
        } else {
            for (place, count) in other.counts.enumerated() { counts[place] += count }
        }
    }

    /// Rows with that outcome, of one kind or of all.
    package func count(_ outcome: DeliveryRecord.Outcome, of kind: String? = nil) -> Int {
        if counts.isEmpty { return 0 }
        if let kind { return counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] }
        return (0...Self.kinds.count).reduce(0) { $0 + counts[Self.place(outcome, $1)] }
    }

    private static func place(_ outcome: DeliveryRecord.Outcome, _ kind: Int?) -> Int {
        (kind ?? kinds.count) * outcomes.count + (outcomes.firstIndex(of: outcome) ?? 0)
    }
}
