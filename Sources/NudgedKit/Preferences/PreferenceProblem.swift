/// One error in preferences: the key and the expected value, never the value that was found.
public struct PreferenceProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key with the error.
    public let key: PreferenceKey
    /// The expected value, in English.
    public let wanted: String

    /// With the description that the key has in every case.
    init(_ key: PreferenceKey) {
        self.key = key
        wanted = key.wanted
    }

    /// With a description for this case.
    init(_ key: PreferenceKey, wanted: String) {
        self.key = key
        self.wanted = wanted
    }

    /// One half of the quiet hours is missing.
    init(missing half: PreferenceKey, beside other: PreferenceKey) {
        self.init(half, wanted: "\(half.wanted) beside \(other.rawValue)")
    }

    /// One line, such as `weekday: wanted 1 (Monday) to 7`.
    public var description: String { "\(key.rawValue): wanted \(wanted)" }
}
