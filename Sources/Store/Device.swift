public import TimeZones

/// One row of the view `nudged.device`: where a push can go.
public struct Device: Sendable, Equatable {
    /// The device token as the app stored it: hexadecimal, if the app is right. Never logged.
    public let token: String
    /// When the app last presented it.
    public let registeredAt: Instant?
    /// `sandbox` or `production`; nil: the configured one.
    public let environment: String?
    /// The bundle id; nil: the configured one.
    public let topic: String?

    /// All parts.
    public init(token: String, registeredAt: Instant?, environment: String? = nil, topic: String? = nil) {
        self.token = token
        self.registeredAt = registeredAt
        self.environment = environment
        self.topic = topic
    }
}
