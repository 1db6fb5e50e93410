package import FoundationEssentials

/// Identifies a message or reminder: a row of `nudged.message` or `nudged.occurrence`. An id is unique across both.
package struct MessageReference: Sendable, Hashable {
    package let userID: UUID
    package let id: UUID
}
