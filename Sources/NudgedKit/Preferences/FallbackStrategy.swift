/// What the decision service does where it cannot analyse.
public enum FallbackStrategy: String, Sendable, CaseIterable {
    /// Urgent messages, keywords and mentions are sent; other messages are not. Check-ins take their usual words.
    case simpleRules = "simple_rules"
    /// Everything is sent that the rules allow.
    case notifyAll = "notify_all"
    /// Nothing is sent.
    case suppressAll = "suppress_all"

    /// In plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .simpleRules: "Only what is urgent or names my keywords"
        case .notifyAll: "Everything"
        case .suppressAll: "Nothing"
        }
    }

    /// Under which an app's table of translations has the name: `nudged.fallback_strategy.notify_all`.
    public var displayKey: String { "nudged.fallback_strategy.\(rawValue)" }
}
