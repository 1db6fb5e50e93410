public import JSON

/// One rule that was checked for a decision.
public struct TraceStep: Sendable, Equatable {
    /// The rule's name, such as `quiet_hours`.
    public let rule: String
    /// `pass`, or the action that the rule decided.
    public let outcome: String
    /// What the rule used: zone, offset, local time, slot, instants, counts. Never a message's text.
    public let facts: JSONObject
}
