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
