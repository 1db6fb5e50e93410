/// The screen that a tap opens. `Payload.route(isUsers:)` chooses it.
public enum Route: Sendable, Equatable {
    /// The subject of a reminder.
    case subject(Subject)
    /// A conversation of the signed-in user.
    case conversation(ConversationID, domain: String?)
    /// A place that the app finds in the message's data.
    case message(MessageData)
    /// A new conversation; `domain` is nil if the push names none.
    case newConversation(domain: String?)
}

/// What a reminder is about, as the app gave it to `nudged_api.set_reminder`.
public struct Subject: Sendable, Hashable {
    /// The kind of thing, such as `task`. Never empty.
    public let type: String
    /// The thing's id among its kind. Never empty. A UUID is in small letters, as the database has it: `UUID.uuidString`
    /// has capitals.
    public let id: String

    /// - Returns: nil if one of the two is empty.
    public init?(type: String, id: String) {
        guard !type.isEmpty, !id.isEmpty else { return nil }
        self.type = type
        self.id = ConversationID(id)?.description ?? id
    }

    /// Two are equal if their UTF-8 is, as in the database. `String` compares by canonical equivalence.
    public static func == (left: Subject, right: Subject) -> Bool {
        left.type.utf8.elementsEqual(right.type.utf8) && left.id.utf8.elementsEqual(right.id.utf8)
    }

    /// By the UTF-8 of both.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(type.utf8))
        hasher.combine(Array(id.utf8))
    }
}

/// A conversation's UUID (text form: RFC 9562, section 4). Upper and lower case are equal.
public struct ConversationID: Sendable, Hashable, LosslessStringConvertible {
    /// The UUID in lower case, 36 characters: `0f4a1c3e-9b7d-4c2a-8e5f-001122334455`.
    public let description: String

    /// Reads 32 hexadecimal digits in five groups, `8-4-4-4-12`, in any case.
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var lowered: [UInt8] = []
        lowered.reserveCapacity(36)
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                lowered.append(byte)
            case (8, _), (13, _), (18, _), (23, _):
                return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
                lowered.append(byte)
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
                lowered.append(byte + 32)
            default:
                return nil
            }
        }
        description = String(decoding: lowered, as: UTF8.self)
    }
}

extension Payload {
    /// The screen that a tap on the push opens. The first match counts:
    ///
    /// 1. the subject of a reminder
    /// 2. the conversation, if it is the user's and the action is not `new_conversation`
    /// 3. the data of a message, if the push names no conversation and the action is not `open_conversation`
    /// 4. a new conversation
    ///
    /// So an unknown or malformed conversation id opens a new conversation.
    ///
    /// - Parameter isUsers: whether the signed-in user has this conversation. It is called at most once, and only if a
    ///   tap would open the conversation.
    public func route(isUsers: (ConversationID) -> Bool) -> Route {
        if let subject { return .subject(subject) }
        if let conversationID, action != .newConversation, isUsers(conversationID) {
            return .conversation(conversationID, domain: domain)
        }
        if action != .openConversation, !namesConversation, !data.isEmpty { return .message(data) }
        return .newConversation(domain: domain)
    }

    /// The same for a known set of conversations.
    ///
    /// - Parameter conversations: all conversations of the signed-in user.
    public func route(among conversations: Set<ConversationID>) -> Route {
        route { conversations.contains($0) }
    }
}

/// Keeps a tap on a push until a user is signed in. It is a value: the app tells it who comes and goes.
public struct PendingTap: Sendable, Equatable {
    /// The signed-in user. Nil: nobody, or the app does not know it yet.
    public private(set) var user: UserID?
    /// The user who was signed in last, also before this start of the app.
    public private(set) var lastUser: UserID?
    /// The last tap that nobody could open yet.
    public private(set) var payload: Payload?

    /// - Parameter lastUser: the value of `lastUser` at the app's last run, if it was stored.
    public init(lastUser: UserID? = nil) {
        self.lastUser = lastUser
    }

    /// The user tapped a push.
    ///
    /// - Returns: the payload to open now. Nil if nobody is signed in: then it is kept, in place of an older one.
    public mutating func tapped(_ payload: Payload) -> Payload? {
        if user != nil { return payload }
        self.payload = payload
        return nil
    }

    /// A user signed in, or the app found at its start that a user is.
    ///
    /// - Returns: the payload that was kept. Nil if there is none, or if another user was signed in last: that push was
    ///   not for this one.
    public mutating func signedIn(_ user: UserID) -> Payload? {
        let kept = lastUser == nil || lastUser == user ? payload : nil
        payload = nil
        self.user = user
        lastUser = user
        return kept
    }

    /// The user signed out, or the session ended.
    public mutating func signedOut() {
        user = nil
    }
}
