public import TimeZones

/// Something that happened and that the user should hear of.
public struct Message: Sendable, Equatable {
    /// The push's title; searched for keywords.
    public var title: String
    /// The push's body; searched for keywords.
    public var body: String
    /// Whether the sender calls it urgent.
    public var urgent: Bool
    /// From when on it is of no use; nil = never.
    public var expiresAt: Instant?

    /// A message.
    public init(title: String, body: String, urgent: Bool, expiresAt: Instant? = nil) {
        self.title = title
        self.body = body
        self.urgent = urgent
        self.expiresAt = expiresAt
    }
}
