public import TimeZones

/// Something that happened, for the user to know.
public struct Message: Sendable, Equatable {
    /// The push's title. Keywords are searched in it.
    public var title: String
    /// The push's body. Keywords are searched in it.
    public var body: String
    /// Whether the sender marked it urgent.
    public var urgent: Bool
    /// From this instant on it is useless. nil: never.
    public var expiresAt: Instant?
    /// It is not sent before this instant. nil: at once.
    public var deliverAt: Instant?

    /// Creates a message.
    public init(title: String, body: String, urgent: Bool, expiresAt: Instant? = nil, deliverAt: Instant? = nil) {
        self.title = title
        self.body = body
        self.urgent = urgent
        self.expiresAt = expiresAt
        self.deliverAt = deliverAt
    }
}
