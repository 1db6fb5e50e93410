package import JSON

/// What a push says to the app, read from its JSON: `{"aps":…,"conversation_id"?,"domain"?,"action",…}`.
///
/// Whatever stands there becomes a payload: what is invalid counts as absent, `malformed` says the first of it, and a tap still leads somewhere.
public struct Payload: Sendable, Equatable {
    /// The conversation that it names; whether it is the user's only the app knows (`route`).
    public internal(set) var conversationID: ConversationID?
    /// Whether a conversation was named, be it badly: then a tap opens one, if only a new one.
    public internal(set) var namesConversation = false
    /// The app's own division of conversations.
    public internal(set) var domain: String?
    /// What a tap does; nil where it is absent or of a version that we don't know.
    public internal(set) var action: PayloadAction?
    /// What a reminder is about.
    public internal(set) var subject: Subject?
    /// What an app gave with its message: every other member but `aps`.
    public internal(set) var data = MessageData(JSONObject())
    /// The first thing that is wrong: the key and what is wanted there, never what was written. Nil: well-formed.
    public internal(set) var malformed: String?

    /// Reads a JSON document.
    package init(json: JSONValue) {
        guard case .object(let object) = json else {
            malformed = "found \(json.typeName), wanted an object"
            return
        }
        read(object)
    }

    /// A tap is handled on a thread of half a megabyte of stack, which 512 levels would fill in a debug build.
    static let maximumDepth = 64

    /// Reads a JSON text in UTF-8. One that is none, or is nested deeper than 64, is a payload without anything.
    public init(parsing bytes: some Collection<UInt8>) {
        do throws(JSONError) {
            self.init(json: try JSONValue(parsing: bytes, maximumDepth: Self.maximumDepth))
        } catch {
            self.init(json: .null)
            malformed = "found no JSON, wanted an object"
        }
    }

    /// Reads a JSON text. One that is none is a payload without anything.
    public init(parsing text: String) {
        self.init(parsing: text.utf8)
    }
}
