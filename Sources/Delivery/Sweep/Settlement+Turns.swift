import Planning
import APNs
import Store

extension Settlement {
    /// What a plan came to.
    mutating func take(_ settled: UserSettlement, of plan: SendPlan) {
        updates.append(settled.update)
        records += settled.records
        ended += settled.ended.compactMap(plan.reference)
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
