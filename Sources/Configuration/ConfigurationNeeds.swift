/// What a command works with. Keys that it does not need may be missing.
package struct ConfigurationNeeds: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The push service: team, key, bundle id and environment.
    package static let apns = ConfigurationNeeds(rawValue: 1)
    package static let database = ConfigurationNeeds(rawValue: 2)
    /// All that `run` needs.
    package static let all: ConfigurationNeeds = [.apns, .database]
}
