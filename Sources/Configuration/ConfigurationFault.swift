/// A value that has the right form, and that the part which uses it refuses.
package struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    /// The dotted key.
    package let key: String
    /// What is wrong, never the value.
    package let what: String
    /// What to do.
    package let mend: String

    package init(key: String, what: String, mend: String) {
        self.key = key
        self.what = what
        self.mend = mend
    }

    /// In one line.
    package var description: String { "\(key): \(what); \(mend)" }
}
