/// What a command works with; keys that it doesn't need may be missing.
public struct ConfigurationNeeds: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// From the bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The push service: team, key, bundle id and environment.
    public static let apns = ConfigurationNeeds(rawValue: 1)
    /// PostgreSQL.
    public static let database = ConfigurationNeeds(rawValue: 2)
    /// All that `run` needs.
    public static let all: ConfigurationNeeds = [.apns, .database]
}
