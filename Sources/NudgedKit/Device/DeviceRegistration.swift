/// What `nudged_me.register_device` stores of this device (docs/CLIENT.md, "What to store").
public struct DeviceRegistration: Sendable, Equatable {
    /// The device's token.
    public let token: DeviceToken
    /// The device's platform.
    public let platform: DevicePlatform
    /// The service that the token belongs to. Nil: as the daemon is configured.
    public let environment: DeviceEnvironment?
    /// The bundle id, if several apps share the database. Nil: as the daemon is configured.
    public let topic: String?
    /// The device's time zone. Nil if the daemon would refuse the name.
    public let timezone: String?
    /// The user's language as a tag, such as `pt-BR`. Nil if it is none.
    public let locale: String?
    /// What the token is for. Nil: the device itself.
    public var surface: Surface?

    /// - Parameters:
    ///   - timezone: the system's name of the zone, such as `Europe/Paris`. A name that no daemon takes (`GMT+0200`)
    ///     counts as nil.
    ///   - locale: an identifier of the system's, such as `pt_BR`. Anything else counts as nil.
    public init(
        token: DeviceToken,
        platform: DevicePlatform,
        environment: DeviceEnvironment?,
        topic: String? = nil,
        timezone: String? = nil,
        locale: String? = nil,
        surface: Surface? = nil
    ) {
        self.token = token
        self.platform = platform
        self.environment = environment
        self.topic = topic
        self.surface = surface
        self.timezone = timezone.flatMap { ZoneName.isWellFormed($0) ? $0 : nil }
        self.locale = locale.flatMap { LocaleName.tag($0) }
    }
}
