/// What the decision service does where it cannot analyse.
public enum FallbackStrategy: String, Sendable {
    case simpleRules = "simple_rules"
    case notifyAll = "notify_all"
    case suppressAll = "suppress_all"
}
