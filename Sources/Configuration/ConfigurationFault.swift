/// A value of the right form that another module refuses.
package struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    /// The dotted key.
    package let key: String
    /// What is wrong; never the value.
    package let what: String
    /// What to do.
    package let mend: String

    package init(key: String, what: String, mend: String) {
        self.key = key
        self.what = what
        self.mend = mend
    }

    /// One line.
    package var description: String { "\(key): \(what); \(mend)" }
}
