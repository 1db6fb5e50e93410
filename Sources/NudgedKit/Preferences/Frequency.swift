/// How often a user wants check-ins.
public enum Frequency: String, Sendable, CaseIterable {
    /// Once a local day.
    case daily
    /// At most three in seven days, never two days running.
    case fewTimesAWeek = "few_times_a_week"
    /// Once a week, on the anchor's weekday or one of the two days after.
    case weekly

    /// In plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .daily: "Every day"
        case .fewTimesAWeek: "A few times a week"
        case .weekly: "Once a week"
        }
    }

    /// Under which an app's table of translations has the name: `nudged.frequency.few_times_a_week`.
    public var displayKey: String { "nudged.frequency.\(rawValue)" }
}
