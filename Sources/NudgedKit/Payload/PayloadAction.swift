/// What the payload says that a tap does.
public enum PayloadAction: String, Sendable, CaseIterable {
    case openConversation = "open_conversation"
    case newConversation = "new_conversation"
}
