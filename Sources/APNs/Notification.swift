package import FoundationEssentials

/// What a push says: the members of its JSON payload. Members that are nil are left out.
package struct Notification: Sendable {
    package var title: String
    package var body: String
    /// The name of a sound, `default` by default. Nil for silence.
    package var sound: String? = "default"
    /// The number on the app's icon.
    package var badge: Int?
    package var threadID: String?
    package var category: String?
    package var interruptionLevel: InterruptionLevel?
    /// 0 to 1, for the order in a summary. Left out if it is not finite.
    package var relevanceScore: Double?
    /// A service extension of the app may change the notification.
    package var mutableContent = false
    package var subtitle: String?
    /// A localized text replaces the title, subtitle or body.
    package var localizedTitle: LocalizedText?
    package var localizedSubtitle: LocalizedText?
    package var localizedBody: LocalizedText?
    /// A Focus of the device shows or hides it by this value.
    package var filterCriteria: String?
    /// The app's window that a tap opens.
    package var targetContentID: String?
    /// An image that the app's service extension fetches. It is beside `aps`, and implies `mutableContent`.
    package var imageURL: String?
    /// A background push: it wakes the app and shows nothing. Only the members beside `aps` count.
    package var isBackground = false
    /// The conversation that a tap opens. Without one, a tap starts a new conversation.
    package var conversationID: UUID?
    package var domain: String?
    package var custom: CustomMembers = .none

    /// A text of the app's own translations.
    package struct LocalizedText: Sendable, Equatable {
        package var key: String
        /// Texts for the placeholders of this text. nil: none are given.
        package var arguments: [String]?

        package init(key: String, arguments: [String]? = nil) {
            self.key = key
            self.arguments = arguments
        }
    }

    /// How urgently the device presents a notification. The raw values are Apple's.
    package enum InterruptionLevel: String, Sendable, CaseIterable {
        /// Listed only, without light or sound.
        case passive
        case active
        /// Breaks through a focus.
        case timeSensitive = "time-sensitive"
        /// Breaks through silent mode. The app needs an entitlement.
        case critical
    }

    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// What a tap does: `open_conversation` if there is a conversation, else `new_conversation`.
    package var action: String {
        conversationID == nil ? "new_conversation" : "open_conversation"
    }
}
