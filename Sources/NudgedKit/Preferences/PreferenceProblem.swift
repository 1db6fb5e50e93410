/// One thing that is wrong with preferences: the key and what is wanted there, never what was written.
public struct PreferenceProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where.
    public let key: PreferenceKey
    /// What is wanted, in words.
    public let wanted: String

    /// What the key wants anyway.
    init(_ key: PreferenceKey) {
        self.key = key
        wanted = key.wanted
    }

    /// What is wanted there in this case.
    init(_ key: PreferenceKey, wanted: String) {
        self.key = key
        self.wanted = wanted
    }

    /// A half of the quiet hours that is missing beside the other.
    init(missing half: PreferenceKey, beside other: PreferenceKey) {
        self.init(half, wanted: "\(half.wanted) beside \(other.rawValue)")
    }

    /// `weekday: wanted 1 (Monday) to 7`
    public var description: String { "\(key.rawValue): wanted \(wanted)" }
}
