/// One entry of the list `apns.apps`.
struct AppEntry {
    /// The entry's place in the list, from 0.
    let index: Int
    /// Where the entry begins in the file.
    let source: ValueSource
    /// The values that the entry gives, by the key that each overrides, such as `apns.teamId`.
    var values: [String: RawValue] = [:]
    /// Whether something in the entry was not understood. Then the values that it seems to inherit may not be what the
    /// author meant.
    var isUnclear = false

    /// Such as `apns.apps[1]`.
    var name: String { "\(ConfigurationKey.appsName)[\(index)]" }

    /// `apns.apps[1].teamId` for `apns.teamId`.
    func name(of key: String) -> String { name + key.dropFirst("apns".count) }
}
