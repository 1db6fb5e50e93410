/// Which registrations a 410 lets nudged delete: those older than an instant.
public enum TokenDeletion: Sendable, Equatable {
    /// The instant that Apple named, in milliseconds since 1970.
    case olderThan(timestamp: Int64)
    /// Apple named none: the instant at which the push was sent.
    case olderThanSend
}
