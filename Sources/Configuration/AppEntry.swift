/// What one entry of `apns.apps` says.
struct AppEntry {
    /// From 0, as in the names of its keys.
    let index: Int
    /// Where it begins.
    let source: ValueSource
    /// What it says, by the names of the keys that it overrides: `apns.teamId`.
    var values: [String: RawValue] = [:]
    /// Something in it was not understood: what it seems to inherit may have been meant otherwise.
    var isUnclear = false

    /// `apns.apps[1]`.
    var name: String { "\(ConfigurationKey.appsName)[\(index)]" }

    /// `apns.apps[1].teamId` for `apns.teamId`.
    func name(of key: String) -> String { name + key.dropFirst("apns".count) }
}
