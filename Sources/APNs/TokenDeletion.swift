/// Under which condition a 410 lets a device token be deleted: only a registration that is older than the instant.
public enum TokenDeletion: Sendable, Equatable {
    /// Apple named the instant: milliseconds since 1970.
    case olderThan(timestamp: Int64)
    /// Apple named none: older than the instant at which the push was sent.
    case olderThanSend
}
