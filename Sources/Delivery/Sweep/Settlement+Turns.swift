import Planning
import APNs
import Store

extension Settlement {
    /// What a turn came to.
    mutating func take(_ settled: Judge.Settled, of turn: PlannedTurn) {
        updates.append(settled.update)
        records += settled.records
        ended += settled.ended.compactMap(turn.reference)
        continued += settled.continued
        staleTokens += settled.staleTokens
    }
}

extension PushOutcome {
    /// Whether it went out to Apple, whatever became of it.
    var wasWritten: Bool {
        if case .unsent = self { false } else { true }
    }
}
