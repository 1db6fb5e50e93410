public import FoundationEssentials
import JSON

/// One push that the simulated service accepted.
public struct AcceptedPush: Sendable, Equatable {
    /// The device token as in the path.
    public let token: String
    /// The request's `apns-id`, or a random one if it had none.
    public let apnsID: UUID
    /// `apns-collapse-id`.
    public let collapseID: String?
    /// `apns-topic`.
    public let topic: String
    /// `apns-push-type`.
    public let pushType: String
    /// `apns-priority`; 10 if the request had none.
    public let priority: Int
    /// `apns-expiration`, seconds since 1970; nil if the request had none.
    public let expiration: Int64?
    /// The body.
    public let payload: [UInt8]
    /// Seconds since 1970 by the script's clock.
    public let receivedAt: Int64
    /// The connection's number, from 1.
    public let connection: Int
    /// The number of this token's valid request, from 1. Always 1 if only counts are kept and the script has no
    /// `perDevice`.
    public let attempt: Int

    func with(payload: [UInt8]) -> AcceptedPush {
        AcceptedPush(
            token: token,
            apnsID: apnsID,
            collapseID: collapseID,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            payload: payload,
            receivedAt: receivedAt,
            connection: connection,
            attempt: attempt
        )
    }

    var line: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        writer.key("token")
        writer.string(token)
        writer.key("apns_id")
        writer.string(apnsID.canonical)
        writer.key("collapse_id")
        writer.string(collapseID)
        writer.key("topic")
        writer.string(topic)
        writer.key("priority")
        writer.int(priority)
        writer.key("expiration")
        if let expiration { writer.int(expiration) } else { writer.null() }
        writer.key("payload")
        writer.string(String(decoding: payload, as: UTF8.self))
        writer.key("received_at")
        writer.int(receivedAt)
        writer.key("connection")
        writer.int(connection)
        writer.key("attempt")
        writer.int(attempt)
        writer.endObject()
        return writer.bytes
    }
}
