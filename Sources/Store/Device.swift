public import TimeZones

/// One row of the view `nudged.device`: where a push can go.
public struct Device: Sendable, Equatable {
    /// The device token as the app stored it: hexadecimal, if the app is right. Never logged.
    public let token: String
    /// When the app last presented it, in microseconds since 1970: tells one registration from the next.
    public let registration: Int64?
    /// `sandbox` or `production`; nil: the configured one.
    public let environment: String?
    /// The bundle id; nil: the configured one.
    public let topic: String?

    /// All parts.
    public init(token: String, registration: Int64?, environment: String? = nil, topic: String? = nil) {
        self.token = token
        self.registration = registration
        self.environment = environment
        self.topic = topic
    }

    /// The same with a registration of whole seconds.
    public init(token: String, registeredAt: Instant?, environment: String? = nil, topic: String? = nil) {
        self.init(token: token, registration: registeredAt?.microseconds, environment: environment, topic: topic)
    }

    /// When the app last presented it.
    public var registeredAt: Instant? { Instant(microseconds: registration) }
}
