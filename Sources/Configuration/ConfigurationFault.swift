/// A value of the right form that another module refuses.
package struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    /// The dotted key.
    package let key: String
    /// What is wrong; never the value.
    package let what: String
    /// What to do.
    package let remedy: String

    package init(key: String, what: String, remedy: String) {
        self.key = key
        self.what = what
        self.remedy = remedy
    }

    /// One line.
    package var description: String { "\(key): \(what); \(remedy)" }
}
