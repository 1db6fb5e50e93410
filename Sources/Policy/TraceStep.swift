public import JSON

/// One rule that was asked on the way to a decision.
public struct TraceStep: Sendable, Equatable {
    /// The rule's name, such as `quiet_hours`.
    public let rule: String
    /// `pass`, or the action that it made final.
    public let verdict: String
    /// What it looked at: zone, offset, local time, slot, instants, counts; never a message's text.
    public let facts: JSONObject
}
