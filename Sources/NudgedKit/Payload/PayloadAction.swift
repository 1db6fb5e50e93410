/// The payload's member `action`: what a tap does.
public enum PayloadAction: String, Sendable, CaseIterable {
    case openConversation = "open_conversation"
    case newConversation = "new_conversation"
}
