public import FoundationEssentials
public import TimeZones

/// A user who is given back to be asked again then.
public struct Postponement: Sendable {
    let userID: UUID
    let version: Int64?
    /// When they are due again.
    public let until: Instant

    /// - Parameter version: the claimed one, on another the user stays due; nil: whatever it is.
    public init(userID: UUID, version: Int64?, until: Instant) {
        self.userID = userID
        self.version = version
        self.until = until
    }
}
