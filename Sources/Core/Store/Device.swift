package import TimeZones

/// A row of the view `nudged.device`.
package struct Device: Sendable, Equatable {
    /// The device token as the app stored it, hexadecimal if the app is right. Never logged.
    package let token: String
    /// When the app last presented the token, in microseconds since 1970. It tells one registration from the next.
    package let registration: Int64?
    /// As the row has it, such as `sandbox` or `production`; nil: the configured environment.
    package let environment: String?
    /// The bundle id, as the row has it; nil: the configured topic.
    package let topic: String?

    package init(token: String, registration: Int64?, environment: String? = nil, topic: String? = nil) {
        self.token = token
        self.registration = registration
        self.environment = environment
        self.topic = topic
    }

    /// With a registration in whole seconds.
    package init(token: String, registeredAt: Instant?, environment: String? = nil, topic: String? = nil) {
        self.init(token: token, registration: registeredAt?.microseconds, environment: environment, topic: topic)
    }

    /// `registration` in whole seconds, rounded down.
    package var registeredAt: Instant? { Instant(microseconds: registration) }
}
