public import FoundationEssentials
import JSON

/// One push that the simulated service took.
public struct AcceptedPush: Sendable, Equatable {
    /// The device token as it stood in the path.
    public let token: String
    /// The request's `apns-id`, or one that was drawn where it had none.
    public let apnsID: UUID
    /// `apns-collapse-id`.
    public let collapseID: String?
    /// `apns-topic`.
    public let topic: String
    /// `apns-priority`, 10 where the request had none.
    public let priority: Int
    /// `apns-expiration`, seconds since 1970; nil where the request had none.
    public let expiration: Int64?
    /// The body.
    public let payload: [UInt8]
    /// Wall seconds since 1970 by the script's clock.
    public let receivedAt: Int64
    /// The connection's number, from 1.
    public let connection: Int
    /// The number of the token's good requests, from 1; always 1 where nothing but counts is kept and no script asks per device.
    public let attempt: Int

    func with(payload: [UInt8]) -> AcceptedPush {
        AcceptedPush(
            token: token,
            apnsID: apnsID,
            collapseID: collapseID,
            topic: topic,
            priority: priority,
            expiration: expiration,
            payload: payload,
            receivedAt: receivedAt,
            connection: connection,
            attempt: attempt
        )
    }

    /// One JSON object without a newline.
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
