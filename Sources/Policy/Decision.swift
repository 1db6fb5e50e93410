public import TimeZones

/// The policy's answer for one nudge at one instant.
public struct Decision: Sendable, Equatable {
    /// What to do.
    public var action: Action
    /// Why.
    public var reason: Reason
    /// With `wait` the instant to ask again, later than `now`; else nil.
    public var nextAt: Instant?
    /// With the send of a check-in its local date; else nil.
    public var slot: LocalDate?
    /// Whether it is a message whose urgency was asked and found.
    public var urgent: Bool
    /// With `send` the instant at which that answer stops to hold, later than `now`; nil where it holds for ever.
    public var validUntil: Instant?

    /// A decision.
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
