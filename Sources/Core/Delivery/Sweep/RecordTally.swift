import Policy

/// Rows of the record, counted by kind and outcome. A flat array, since it counts every push.
package struct RecordTally: Sendable, Equatable {
    private static let kinds = NudgeKind.allCases.map(\.rawValue)
    private static let outcomes = DeliveryRecord.Outcome.allCases

    /// For each kind its outcomes. The last group is for kinds that this version doesn't know. Empty: all counts are
    /// zero.
    private var counts: [Int] = []

    /// Counts rows of a kind (`check_in`, `message`, `reminder`).
    mutating func enter(_ outcome: DeliveryRecord.Outcome, of kind: String, _ count: Int = 1) {
        if counts.isEmpty { counts = Array(repeating: 0, count: (Self.kinds.count + 1) * Self.outcomes.count) }
        counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] += count
    }

    mutating func enter(_ record: DeliveryRecord) { enter(record.outcome, of: record.kind) }

    mutating func add(_ other: RecordTally) {
        if counts.isEmpty {
            self = other
        } else {
            for (place, count) in other.counts.enumerated() { counts[place] += count }
        }
    }

    /// Rows with this outcome. nil: of all kinds.
    package func count(_ outcome: DeliveryRecord.Outcome, of kind: String? = nil) -> Int {
        if counts.isEmpty { return 0 }
        if let kind { return counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] }
        return (0...Self.kinds.count).reduce(0) { $0 + counts[Self.place(outcome, $1)] }
    }

    private static func place(_ outcome: DeliveryRecord.Outcome, _ kind: Int?) -> Int {
        (kind ?? kinds.count) * outcomes.count + (outcomes.firstIndex(of: outcome) ?? 0)
    }
}
