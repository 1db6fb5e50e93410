package import FoundationEssentials
import HTTP2Server
import JSON

/// A push that the simulated service accepted: `POST /3/device/<hexadecimal token>`.
package struct AcceptedPush: Sendable, Equatable {
    package let token: String
    /// The request's `apns-id`, or a random one if it had none.
    package let apnsID: UUID
    package let collapseID: String?
    package let topic: String
    package let pushType: String
    /// 10 if the request had none.
    package private(set) var priority = 10
    /// Seconds since 1970; nil if the request had none.
    package private(set) var expiration: Int64?
    package let payload: [UInt8]
    /// Seconds since 1970 by the script's clock.
    package let receivedAt: Int64
    package let connection: Int
    /// Counts this token's valid requests, from 1. Always 1 if nothing is recorded and no `perDevice` asks.
    package internal(set) var attempt = 1

    private static let pushTypes: Set<String> = [
        "alert", "background", "controls", "complication", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    /// How topics end of pushes that are not for the app itself.
    private static let topicEnds = [
        "liveactivity": ".push-type.liveactivity", "widgets": ".push-type.widgets", "controls": ".push-type.controls",
    ]
    private static let names = [
        "authorization", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-id",
        "apns-collapse-id",
    ]

    /// Checks what a request has besides its token, as Apple does.
    init(
        token: String,
        headers: HeaderFields,
        body: [UInt8],
        settings: SimulatorSettings,
        now: Int64,
        connection: Int
    ) throws(RequestRefusal) {
        (self.token, payload, receivedAt, self.connection) = (token, body, now, connection)
        try Self.checkDuplicates(headers)
        topic = try Self.topic(headers, settings)
        guard let type = headers["apns-push-type"], Self.pushTypes.contains(type) else { throw .bad("InvalidPushType") }
        pushType = type
        if let text = headers["apns-priority"] {
            guard text == "10" || text == "5" || text == "1", let number = Int(text) else { throw .bad("BadPriority") }
            priority = number
        }
        // Apple refuses a background push with priority 10.
        guard type != "background" || priority != 10 else { throw .bad("BadPriority") }
        if let text = headers["apns-expiration"] {
            guard let instant = Int64(text), instant >= 0, !text.hasPrefix("+") else { throw .bad("BadExpirationDate") }
            expiration = instant
        }
        collapseID = headers["apns-collapse-id"]
        if let collapseID, collapseID.isEmpty || collapseID.utf8.count > 64 { throw .bad("BadCollapseId") }
        if let text = headers["apns-id"] {
            guard let id = UUID(canonical: text) else { throw .bad("BadMessageId") }
            apnsID = id
        } else {
            apnsID = UUID()
        }
        try Self.checkPayload(body, limit: type == "voip" ? 5_120 : 4_096)
    }

    /// The token as in the path `/3/device/<hexadecimal token>`.
    static func token(method: String, path: String) throws(RequestRefusal) -> String {
        guard method == "POST" else { throw RequestRefusal(405, "MethodNotAllowed") }
        if path == "/3/device" || path == "/3/device/" { throw .bad("MissingDeviceToken") }
        guard path.hasPrefix("/3/device/") else { throw RequestRefusal(404, "BadPath") }
        let token = path.dropFirst("/3/device/".count)
        guard !token.utf8.contains(UInt8(ascii: "/")) else { throw RequestRefusal(404, "BadPath") }
        let isHexadecimal = token.utf8.allSatisfy {
            (48...57).contains($0) || (97...102).contains($0) || (65...70).contains($0)
        }
        guard isHexadecimal, token.utf8.count % 2 == 0, token.utf8.count <= 200 else { throw .bad("BadDeviceToken") }
        return String(token)
    }

    /// Looks for duplicates only if there are more fields than the four pseudo-header fields and one of each name.
    private static func checkDuplicates(_ headers: HeaderFields) throws(RequestRefusal) {
        guard headers.count > 4 + names.count(where: { headers[$0] != nil }) else { return }
        var seen: Set<String> = []
        for (name, _) in headers.all where names.contains(name) && !seen.insert(name).inserted {
            throw .bad("DuplicateHeaders")
        }
    }

    private static func topic(_ headers: HeaderFields, _ settings: SimulatorSettings) throws(RequestRefusal) -> String {
        guard let topic = headers["apns-topic"] else { throw .bad("MissingTopic") }
        let isWellFormed =
            topic.utf8.contains(46) && topic.utf8.count <= 255
            && topic.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                    || $0 == 95
            }
        guard isWellFormed else { throw .bad("BadTopic") }
        let end = headers["apns-push-type"].flatMap { topicEnds[$0] }
        guard end.map({ topic.hasSuffix($0) }) ?? true else { throw .bad("BadTopic") }
        let bundleID = end.map { String(topic.dropLast($0.count)) } ?? topic
        guard settings.topics.isEmpty || settings.topics.contains(bundleID) else { throw .bad("TopicDisallowed") }
        return topic
    }

    private static func checkPayload(_ body: [UInt8], limit: Int) throws(RequestRefusal) {
        guard !body.isEmpty else { throw .bad("PayloadEmpty") }
        guard body.count <= limit else { throw RequestRefusal(413, "PayloadTooLarge") }
        // Apple gives the same reason for a body that isn't a JSON object with `aps` as for an empty body.
        guard let parsed = try? JSONValue(parsing: body), case .object = parsed["aps"] else {
            throw .bad("PayloadEmpty")
        }
    }
}

struct RequestRefusal: Error {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) { (self.status, self.reason) = (status, reason) }

    static func bad(_ reason: String) -> RequestRefusal { RequestRefusal(400, reason) }
}

/// `apns-id` as text. Foundation's own conversions use scanf and printf, which is too slow for every request.
extension UUID {
    init?(canonical text: String) {
        guard text.utf8.count == 36 else { return nil }
        var number: UInt128 = 0
        for (place, byte) in text.utf8.enumerated() {
            switch byte {
            case 45 where Self.isHyphen(place): continue
            case 48...57 where !Self.isHyphen(place): number = number << 4 | UInt128(byte - 48)
            case 65...70 where !Self.isHyphen(place): number = number << 4 | UInt128(byte - 55)
            case 97...102 where !Self.isHyphen(place): number = number << 4 | UInt128(byte - 87)
            default: return nil
            }
        }
        self = withUnsafeBytes(of: number.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    var canonical: String {
        var number = withUnsafeBytes(of: uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
        var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
        for place in text.indices.reversed() where !Self.isHyphen(place) {
            let digit = UInt8(truncatingIfNeeded: number & 15)
            text[place] = digit + (digit < 10 ? 48 : 87)
            number >>= 4
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isHyphen(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }
}
