/// What a command works with; keys that it doesn't need may be missing.
package struct ConfigurationNeeds: OptionSet, Sendable {
    /// The bits.
    package let rawValue: Int

    /// From the bits.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The push service: team, key, bundle id and environment.
    package static let apns = ConfigurationNeeds(rawValue: 1)
    /// PostgreSQL.
    package static let database = ConfigurationNeeds(rawValue: 2)
    /// All that `run` needs.
    package static let all: ConfigurationNeeds = [.apns, .database]
}
