/// How often a user wants check-ins (docs/POLICY.md, "Check-ins").
public enum Frequency: String, Sendable, CaseIterable {
    /// Once each local day.
    case daily
    /// At most three in seven local days, never on two days in a row.
    case fewTimesAWeek = "few_times_a_week"
    /// Once a week, on the chosen weekday or one of the two days after it.
    case weekly

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
