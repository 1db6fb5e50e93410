package import FoundationEssentials

/// Which message or reminder: a row of `nudged.message` or `nudged.occurrence`. Ids are one of a kind in both.
package struct MessageReference: Sendable, Hashable {
    /// Whom it is for.
    package let userID: UUID
    /// Names it.
    package let id: UUID

    package init(userID: UUID, id: UUID) {
        self.userID = userID
        self.id = id
    }
}
