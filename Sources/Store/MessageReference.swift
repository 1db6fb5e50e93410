public import FoundationEssentials

/// Which message: a row of `nudged.message`.
public struct MessageReference: Sendable, Hashable {
    /// Whom it is for.
    public let userID: UUID
    /// Names it among the user's messages.
    public let id: UUID

    /// Both parts.
    public init(userID: UUID, id: UUID) {
        self.userID = userID
        self.id = id
    }
}
