public import FoundationEssentials

/// Which message or reminder: a row of `nudged.message` or `nudged.occurrence`. Ids are one of a kind in both.
public struct MessageReference: Sendable, Hashable {
    /// Whom it is for.
    public let userID: UUID
    /// Names it.
    public let id: UUID

    /// Both parts.
    public init(userID: UUID, id: UUID) {
        self.userID = userID
        self.id = id
    }
}
