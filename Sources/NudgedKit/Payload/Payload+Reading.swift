import JSON

extension Payload {
    /// The members that nudged or the system writes. All others are the app's data.
    private static let own: Set<String> = [
        "aps", "conversation_id", "domain", "action", "image_url", "subject_type", "subject_id", "nudge", "withdraw",
    ]

    /// Reads each member independently. An explicit null counts as absent.
    mutating func read(_ object: JSONObject) {
        namesConversation = object["conversation_id"] ?? .null != .null
        if let text = text(object, "conversation_id", "a UUID") {
            conversationID = ConversationID(text)
            if conversationID == nil { reject("conversation_id", "a UUID") }
        }
        domain = text(object, "domain", "a string")
        action = text(object, "action", "a string").flatMap { PayloadAction(rawValue: $0) }
        imageURL = text(object, "image_url", "a string")
        nudgeID = text(object, "nudge", "a string").map { NudgeID(rawValue: $0) }
        withdrawnID = text(object, "withdraw", "a string").map { NudgeID(rawValue: $0) }
        readSubject(object)
        data = MessageData(JSONObject(object.members.filter { !Self.own.contains($0.key) }))
    }

    /// Both members or neither: half a subject names nothing.
    private mutating func readSubject(_ object: JSONObject) {
        let wanted = "a string that is not empty"
        let type = text(object, "subject_type", wanted)
        let id = text(object, "subject_id", wanted)
        guard type != nil || id != nil else { return }
        subject = Subject(type: type ?? "", id: id ?? "")
        if subject == nil { reject(type ?? "" == "" ? "subject_type" : "subject_id", wanted) }
    }

    private mutating func text(_ object: JSONObject, _ key: String, _ wanted: String) -> String? {
        switch object[key] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default:
            reject(key, wanted)
            return nil
        }
    }

    private mutating func reject(_ key: String, _ wanted: String) {
        if malformed == nil { malformed = "\(key): wanted \(wanted)" }
    }
}
