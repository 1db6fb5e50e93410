public import TimeZones

/// The policy's answer for one nudge at one instant.
public struct Decision: Sendable, Equatable {
    /// What to do.
    public var action: Action
    /// Why.
    public var reason: Reason
    /// With `wait`: when to evaluate again, later than `now`. Otherwise nil.
    public var nextAt: Instant?
    /// With the `send` of a check-in: its local date. Otherwise nil.
    public var slot: LocalDate?
    /// Whether it is an urgent message whose urgency was checked.
    public var urgent: Bool
    /// With `send`: when this answer ends, later than `now`. nil: never, or another action.
    public var validUntil: Instant?

    /// Creates a decision.
    public init(
        _ action: Action,
        _ reason: Reason,
        nextAt: Instant? = nil,
        slot: LocalDate? = nil,
        urgent: Bool = false,
        validUntil: Instant? = nil
    ) {
        self.action = action
        self.reason = reason
        self.nextAt = nextAt
        self.slot = slot
        self.urgent = urgent
        self.validUntil = validUntil
    }
}
