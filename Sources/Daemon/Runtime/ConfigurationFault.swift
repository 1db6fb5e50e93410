/// A value that has the right form, and that the part which uses it refuses.
public struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    /// The dotted key.
    public let key: String
    /// What is wrong, never the value.
    public let what: String
    /// What to do.
    public let mend: String

    /// In one line.
    public var description: String { "\(key): \(what); \(mend)" }
}
