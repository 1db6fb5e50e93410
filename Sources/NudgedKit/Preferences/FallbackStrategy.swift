/// What happens to a nudge if the decision service gives no answer (docs/DECISION.md).
public enum FallbackStrategy: String, Sendable, CaseIterable {
    /// Sends urgent messages, mentions, check-ins and reminders. Drops other messages. A message with one of the user's
    /// keywords is urgent.
    case simpleRules = "simple_rules"
    /// Sends everything that the rules allow.
    case notifyAll = "notify_all"
    /// Sends nothing.
    case suppressAll = "suppress_all"

    /// A name in plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .simpleRules: "Only what is urgent or names my keywords"
        case .notifyAll: "Everything"
        case .suppressAll: "Nothing"
        }
    }

    /// The name's key in the app's table of translations: `nudged.fallback_strategy.notify_all`.
    public var displayKey: String { "nudged.fallback_strategy.\(rawValue)" }
}
