import APNs

extension Settlement {
    /// Adds what is to be written for one plan.
    mutating func take(_ settled: UserSettlement, of plan: SendPlan) {
        updates.append(settled.update)
        records += settled.records
        ended += settled.ended.compactMap(plan.reference)
        continued += settled.continued
        staleTokens += settled.staleTokens
        environments += settled.environments
    }
}

extension PushOutcome {
    /// Whether it was written to Apple, whatever the outcome.
    var wasWritten: Bool {
        if case .unsent = self { false } else { true }
    }
}
