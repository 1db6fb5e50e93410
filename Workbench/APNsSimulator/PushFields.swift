import FoundationEssentials
import HTTP2
import JSON

/// The header fields of a push. Fields and body are checked as Apple checks them.
struct PushFields {
    var apnsID: UUID
    var topic: String
    var pushType: String
    var priority = 10
    var expiration: Int64?
    var collapseID: String?

    private static let pushTypes: Set<String> = [
        "alert", "background", "controls", "complication", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    private static let names = [
        "authorization", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-id",
        "apns-collapse-id",
    ]

    init(headers: HeaderFields, body: [UInt8], settings: SimulatorSettings) throws(RequestRefusal) {
        try Self.checkDuplicates(headers)
        topic = try Self.topic(headers, settings)
        guard let type = headers["apns-push-type"], Self.pushTypes.contains(type) else {
            throw RequestRefusal(400, "InvalidPushType")
        }
        pushType = type
        if let text = headers["apns-priority"] {
            guard text == "10" || text == "5" || text == "1", let number = Int(text) else {
                throw RequestRefusal(400, "BadPriority")
            }
            priority = number
        }
        // Apple refuses a background push with priority 10.
        guard type != "background" || priority != 10 else { throw RequestRefusal(400, "BadPriority") }
        if let text = headers["apns-expiration"] {
            guard let instant = Int64(text), instant >= 0, !text.hasPrefix("+") else {
                throw RequestRefusal(400, "BadExpirationDate")
            }
            expiration = instant
        }
        collapseID = headers["apns-collapse-id"]
        if let collapseID, collapseID.isEmpty || collapseID.utf8.count > 64 {
            throw RequestRefusal(400, "BadCollapseId")
        }
        if let text = headers["apns-id"] {
            guard let id = UUID(canonical: text) else { throw RequestRefusal(400, "BadMessageId") }
            apnsID = id
        } else {
            apnsID = UUID()
        }
        try Self.checkPayload(body, limit: type == "voip" ? settings.payloadLimit * 5 / 4 : settings.payloadLimit)
    }

    /// Looks for duplicates only if there are more fields than the four pseudo-header fields and one of each name.
    private static func checkDuplicates(_ headers: HeaderFields) throws(RequestRefusal) {
        let known = names.count { headers.bytes($0) != nil }
        guard headers.count > known + 4 else { return }
        var seen: Set<String> = []
        for (name, _) in headers.all where names.contains(name) && !seen.insert(name).inserted {
            throw RequestRefusal(400, "DuplicateHeaders")
        }
    }

    private static func topic(_ headers: HeaderFields, _ settings: SimulatorSettings) throws(RequestRefusal) -> String {
        guard let topic = headers["apns-topic"] else { throw RequestRefusal(400, "MissingTopic") }
        let isWellFormed =
            topic.utf8.contains(46) && topic.utf8.count <= 255
            && topic.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                    || $0 == 95
            }
        guard isWellFormed else { throw RequestRefusal(400, "BadTopic") }
        guard settings.topics.isEmpty || settings.topics.contains(topic) else {
            throw RequestRefusal(400, "TopicDisallowed")
        }
        return topic
    }

    private static func checkPayload(_ body: [UInt8], limit: Int) throws(RequestRefusal) {
        guard !body.isEmpty else { throw RequestRefusal(400, "PayloadEmpty") }
        guard body.count <= limit else { throw RequestRefusal(413, "PayloadTooLarge") }
        // Apple gives the same reason for a body that isn't a JSON object with `aps` as for an empty body.
        guard let parsed = try? JSONValue(parsing: body), case .object = parsed["aps"] else {
            throw RequestRefusal(400, "PayloadEmpty")
        }
    }
}
