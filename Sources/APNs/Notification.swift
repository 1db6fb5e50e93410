public import FoundationEssentials

/// What a push says: the members of its JSON payload. Members that are nil are left out.
public struct Notification: Sendable {
    /// The alert's title.
    public var title: String
    /// The alert's body text.
    public var body: String
    /// The name of a sound, `default` by default. Nil for silence.
    public var sound: String? = "default"
    /// The number on the app's icon.
    public var badge: Int?
    /// Groups notifications on the device.
    public var threadID: String?
    /// The category whose actions the app has registered.
    public var category: String?
    /// How urgently the device presents it.
    public var interruptionLevel: InterruptionLevel?
    /// 0 to 1, for the order in a summary. Left out if it is not finite.
    public var relevanceScore: Double?
    /// A service extension of the app may change the notification.
    public var mutableContent = false
    /// The line below the title.
    public var subtitle: String?
    /// Instead of the title.
    public var localizedTitle: LocalizedText?
    /// Instead of the subtitle.
    public var localizedSubtitle: LocalizedText?
    /// Instead of the body.
    public var localizedBody: LocalizedText?
    /// A Focus of the device shows or hides it by this value.
    public var filterCriteria: String?
    /// The app's window that a tap opens.
    public var targetContentID: String?
    /// An image that the app's service extension fetches. It is beside `aps`, and implies `mutableContent`.
    public var imageURL: String?
    /// A background push: it wakes the app and shows nothing. Only the members beside `aps` count.
    public var isBackground = false
    /// The conversation that a tap opens. Without one, a tap starts a new conversation.
    public var conversationID: UUID?
    /// The app's own category of conversations.
    public var domain: String?
    /// Further members beside `aps`.
    public var custom: CustomMembers = .none

    /// A text of the app's own translations.
    public struct LocalizedText: Sendable, Equatable {
        /// The text's key in the app.
        public var key: String
        /// Texts for the placeholders of this text. nil: none are given.
        public var arguments: [String]?

        /// The text of this key.
        public init(key: String, arguments: [String]? = nil) {
            self.key = key
            self.arguments = arguments
        }
    }

    /// How urgently the device presents a notification. The raw values are Apple's.
    public enum InterruptionLevel: String, Sendable, CaseIterable {
        /// Listed only, without light or sound.
        case passive
        /// The normal presentation.
        case active
        /// Breaks through a focus.
        case timeSensitive = "time-sensitive"
        /// Breaks through silent mode. The app needs an entitlement.
        case critical
    }

    /// A notification with a title and a body text.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// What a tap does: `open_conversation` if there is a conversation, else `new_conversation`.
    public var action: String {
        conversationID == nil ? "new_conversation" : "open_conversation"
    }
}
