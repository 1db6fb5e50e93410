public import FoundationEssentials

/// What a push says: the members of its JSON payload.
///
/// Optional members that are nil are left out.
public struct Notification: Sendable {
    /// The alert's title.
    public var title: String
    /// The alert's text.
    public var body: String
    /// The name of a sound; `default` unless said otherwise, nil for silence.
    public var sound: String? = "default"
    /// The number on the app's icon.
    public var badge: Int?
    /// Groups notifications on the device.
    public var threadID: String?
    /// The kind whose actions the app registered.
    public var category: String?
    /// How urgently the device presents it.
    public var interruptionLevel: InterruptionLevel?
    /// 0 to 1, for the order of a summary; a value that is not finite is left out.
    public var relevanceScore: Double?
    /// A service extension of the app may change it.
    public var mutableContent = false
    /// The app is woken as well.
    public var contentAvailable = false
    /// The conversation that a tap opens; without one a tap starts a new one.
    public var conversationID: UUID?
    /// The app's own division of conversations.
    public var domain: String?
    /// Further members beside `aps`.
    public var custom: CustomMembers = .none

    /// How urgently the device presents a notification.
    public enum InterruptionLevel: String, Sendable, CaseIterable {
        /// Into the list, without light or sound.
        case passive
        /// As usual.
        case active
        /// Through a focus, for matters of the moment.
        case timeSensitive = "time-sensitive"
        /// Through silence; needs an entitlement of the app.
        case critical
    }

    /// A notification of a title and a text.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// What a tap does: with a conversation `open_conversation`, else `new_conversation`.
    public var action: String {
        conversationID == nil ? "new_conversation" : "open_conversation"
    }
}
