package import TimeZones

/// One row of the view `nudged.device`: where a push can go.
package struct Device: Sendable, Equatable {
    /// The device token as the app stored it: hexadecimal, if the app is right. Never logged.
    package let token: String
    /// When the app last presented it, in microseconds since 1970: tells one registration from the next.
    package let registration: Int64?
    /// `sandbox` or `production`; nil: the configured one.
    package let environment: String?
    /// The bundle id; nil: the configured one.
    package let topic: String?

    package init(token: String, registration: Int64?, environment: String? = nil, topic: String? = nil) {
        self.token = token
        self.registration = registration
        self.environment = environment
        self.topic = topic
    }

    /// The same with a registration of whole seconds.
    package init(token: String, registeredAt: Instant?, environment: String? = nil, topic: String? = nil) {
        self.init(token: token, registration: registeredAt?.microseconds, environment: environment, topic: topic)
    }

    /// When the app last presented it.
    package var registeredAt: Instant? { Instant(microseconds: registration) }
}
