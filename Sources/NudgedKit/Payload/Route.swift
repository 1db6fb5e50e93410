/// Where a tap leads.
public enum Route: Sendable, Equatable {
    /// To what a reminder is about.
    case subject(Subject)
    /// To a conversation of the user's.
    case conversation(ConversationID, domain: String?)
    /// Where the app's own data says, which came with a message.
    case message(MessageData)
    /// To a new conversation, of a domain where one was named.
    case newConversation(domain: String?)
}
