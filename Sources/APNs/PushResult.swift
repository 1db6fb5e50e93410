public import FoundationEssentials

/// The one result of one push.
public struct PushResult: Sendable, Equatable {
    /// The push's own tag.
    public var tag: UInt64
    /// What became of it.
    public var outcome: PushOutcome
    /// The id under which Apple was asked; nil where nothing was written.
    public var apnsID: UUID?

    /// All parts.
    public init(tag: UInt64, outcome: PushOutcome, apnsID: UUID?) {
        self.tag = tag
        self.outcome = outcome
        self.apnsID = apnsID
    }
}
