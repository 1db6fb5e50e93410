/// What kind of nudge is asked for.
public enum NudgeKind: String, Sendable, CaseIterable {
    case checkIn = "check_in"
    case message
    case reminder
}
