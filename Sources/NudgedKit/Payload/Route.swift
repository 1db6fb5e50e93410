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
