/// The kinds of nudges.
public enum NudgeKind: String, Sendable, CaseIterable {
    case checkIn = "check_in"
    case message
    case reminder
}
