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
