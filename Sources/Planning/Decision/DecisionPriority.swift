/// How much a nudge matters, as it is asked of the decision service and as the service answers.
enum DecisionPriority: String, Sendable, CaseIterable {
    case low, normal, high, urgent
}
