public import FoundationEssentials

/// One whole request as it arrived, whatever was made of it.
public struct ReceivedRequest: Sendable, Equatable {
    /// The last part of the path: the device token of a good one.
    public let token: String
    /// Its `apns-id`; nil where it had none, or no UUID.
    public let apnsID: UUID?
    /// The connection's number, from 1.
    public let connection: Int
    /// Which of the provider tokens seen so far it showed, from 1; 0: none.
    public let providerToken: Int
}
