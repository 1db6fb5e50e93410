extension Payload {
    /// Where a tap leads.
    ///
    /// A subject first, then a conversation, then a message's data; what is left opens a new conversation: a conversation that was named by no UUID
    /// or is not the user's (a push for whoever was signed in before, one that was deleted) too.
    ///
    /// - Parameter isUsers: whether the signed-in user has this conversation. It is asked at most once, and only where a tap would open one.
    public func route(isUsers: (ConversationID) -> Bool) -> Route {
        if let subject { return .subject(subject) }
        if let conversationID, action != .newConversation, isUsers(conversationID) {
            return .conversation(conversationID, domain: domain)
        }
        if action != .openConversation, !namesConversation, !data.isEmpty { return .message(data) }
        return .newConversation(domain: domain)
    }

    /// Where a tap leads for a user who has these conversations.
    public func route(among conversations: Set<ConversationID>) -> Route {
        route { conversations.contains($0) }
    }
}
