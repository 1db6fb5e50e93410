package import JSON

/// The content of a push, read from its JSON (RFC 8259): `{"aps":…, "conversation_id"?, "domain"?, "action"?,
/// "subject_type"?, "subject_id"?, "withdraw"?, "nudge"?, …}`.
///
/// Any JSON gives a payload, so reading never fails. An invalid member counts as absent, and `malformed` names the
/// first one. docs/CLIENT.md, "The payload", describes each member.
public struct Payload: Sendable, Equatable {
    /// The nudge's id, for `NudgedServer.opened(_:)` and `feedback(_:isHelpful:)`.
    public internal(set) var nudgeID: NudgeID?
    /// The nudge that the app takes off the screen, by its `nudgeID`. Nil: the push is no such order.
    public internal(set) var withdrawnID: NudgeID?
    /// The conversation that the push names. Only the app knows whether it is the user's: see `route(isUsers:)`.
    public internal(set) var conversationID: ConversationID?
    /// Whether `conversation_id` is present, even if it is no UUID. Such a push opens a new conversation, not the
    /// message's data.
    public internal(set) var namesConversation = false
    /// The app's own grouping of conversations.
    public internal(set) var domain: String?
    /// What a tap does. Nil if it is absent or not known to this version.
    public internal(set) var action: PayloadAction?
    /// An image for the app's notification service extension: an `https` address.
    public internal(set) var imageURL: String?
    /// What a reminder is about.
    public internal(set) var subject: Subject?
    /// A message's data: all members except `aps` and nudged's own.
    public internal(set) var data = MessageData(JSONObject())
    /// The first error: the key and the expected value, never the value that was found. Nil if the payload is well
    /// formed.
    public internal(set) var malformed: String?

    /// Reads a parsed JSON document.
    package init(json: JSONValue) {
        guard case .object(let object) = json else {
            malformed = "found \(json.typeName), wanted an object"
            return
        }
        read(object)
    }

    /// The deepest nesting that is read. iOS handles a tap on a thread with 512 KiB of stack, which 512 levels would
    /// fill in a debug build.
    static let maximumDepth = 64

    /// Reads JSON in UTF-8.
    ///
    /// Bytes that are no JSON, or that are nested deeper than 64 levels, give an empty payload with `malformed` set.
    public init(parsing bytes: some Collection<UInt8>) {
        do throws(JSONError) {
            self.init(json: try JSONValue(parsing: bytes, maximumDepth: Self.maximumDepth))
        } catch {
            self.init(json: .null)
            malformed = "found no JSON, wanted an object"
        }
    }

    /// Reads a JSON text, with the same limits as `init(parsing:)` for bytes.
    public init(parsing text: String) {
        self.init(parsing: text.utf8)
    }
}

/// The payload's member `action`: what a tap does.
public enum PayloadAction: String, Sendable, CaseIterable {
    case openConversation = "open_conversation"
    case newConversation = "new_conversation"
}

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

/// The data that the app gave to `nudged_api.send`: all members of the payload except `aps` and those that nudged
/// writes (docs/CLIENT.md, "The payload").
public struct MessageData: Sendable, Equatable {
    package let members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// Whether the message has no data.
    public var isEmpty: Bool { members.members.isEmpty }

    /// The members' keys, each once, in the payload's order.
    public var keys: [String] { members.members.map(\.key) }

    /// The data as one JSON object, for the app's own decoder.
    public var json: String { JSONValue.object(members).document }

    /// The value of `key` if it is a JSON string; else nil.
    public func string(_ key: String) -> String? {
        if case .string(let text)? = members[key] { text } else { nil }
    }

    /// The value of `key` if it is a JSON number without fraction and exponent and within 64 bits; else nil.
    public func int(_ key: String) -> Int64? {
        if case .int(let int)? = members[key] { int } else { nil }
    }

    /// The value of `key` if it is `true` or `false`; else nil.
    public func bool(_ key: String) -> Bool? {
        if case .bool(let bool)? = members[key] { bool } else { nil }
    }
}
