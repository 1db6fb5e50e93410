public import FoundationEssentials

/// One complete request as it arrived, before any check.
public struct ReceivedRequest: Sendable, Equatable {
    /// The last part of the path. In a valid request it is the device token.
    public let token: String
    /// Its `apns-id`; nil if it had none or not a UUID.
    public let apnsID: UUID?
    /// The connection's number, from 1.
    public let connection: Int
    /// The number of its provider token, in order of first use, from 1; 0 if it had none.
    public let providerToken: Int
}
