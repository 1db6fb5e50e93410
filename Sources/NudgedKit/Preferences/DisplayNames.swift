// Names for a settings screen.

extension Frequency {
    /// A name in plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .daily: "Every day"
        case .fewTimesAWeek: "A few times a week"
        case .weekly: "Once a week"
        }
    }

    /// The name's key in the app's table of translations: `nudged.frequency.few_times_a_week`.
    public var displayKey: String { "nudged.frequency.\(rawValue)" }
}

extension FallbackStrategy {
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
