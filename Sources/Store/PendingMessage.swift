public import FoundationEssentials
public import TimeZones

/// A message that waits to be sent: a row of `nudged.message`.
public struct PendingMessage: Sendable, Equatable {
    /// Names it among the user's messages.
    public let id: UUID
    /// When `nudged.send` was called.
    public let createdAt: Instant
    /// The same in microseconds since 1970: which of two of one second was said first.
    public let order: Int64
    /// The push's title; may be empty.
    public let title: String
    /// The push's body; may be empty.
    public let body: String
    /// A JSON object of members beside `aps`, without those that the payload has places for; nil: none.
    public let data: String?
    /// The conversation that a tap opens, as the app wrote it.
    public let conversationID: String?
    /// The app's own division of conversations.
    public let domain: String?
    /// Whether the sender calls it urgent.
    public let urgent: Bool
    /// Whose actions the phone offers.
    public let category: String?
    /// Groups notifications on the phone.
    public let threadID: String?
    /// Of several with one key only the newest is sent.
    public let collapseKey: String?
    /// From when on it is of no use; nil: never.
    public let expiresAt: Instant?

    /// All parts.
    public init(
        id: UUID,
        createdAt: Instant,
        order: Int64? = nil,
        title: String,
        body: String,
        data: String? = nil,
        conversationID: String? = nil,
        domain: String? = nil,
        urgent: Bool = false,
        category: String? = nil,
        threadID: String? = nil,
        collapseKey: String? = nil,
        expiresAt: Instant? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.order = order ?? createdAt.microseconds
        self.title = title
        self.body = body
        self.data = data
        self.conversationID = conversationID
        self.domain = domain
        self.urgent = urgent
        self.category = category
        self.threadID = threadID
        self.collapseKey = collapseKey
        self.expiresAt = expiresAt
    }
}
