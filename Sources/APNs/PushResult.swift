public import FoundationEssentials

/// The result of one push. Each push has exactly one.
public struct PushResult: Sendable, Equatable {
    /// The push's tag.
    public var tag: UInt64
    /// The outcome of the push.
    public var outcome: PushOutcome
    /// The header `apns-id` that was sent. Nil if the push never went to a connection.
    public var apnsID: UUID?

    /// A result with these values.
    public init(tag: UInt64, outcome: PushOutcome, apnsID: UUID?) {
        self.tag = tag
        self.outcome = outcome
        self.apnsID = apnsID
    }
}
