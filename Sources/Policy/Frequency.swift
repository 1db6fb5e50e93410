/// How often a user wants check-ins.
public enum Frequency: String, Sendable {
    /// Once a local day.
    case daily
    /// At most three in seven days, never two days running.
    case fewTimesAWeek = "few_times_a_week"
    /// Once a week, on the anchor's weekday or one of the two days after.
    case weekly
}
