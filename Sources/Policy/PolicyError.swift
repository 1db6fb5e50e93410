/// Why an input or a rule cannot be used. It never holds the text of a message.
public struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure.
    public enum Code: Sendable {
        /// The line is no JSON, or no object.
        case notJSON
        /// A required field is not there.
        case missing
        /// A field holds another type than it must.
        case wrongType
        /// The type is right, the value is not.
        case outOfRange
    }

    /// What kind of failure.
    public let code: Code
    /// The field's path, such as `rules.quiet_hours.start`; empty for the line as a whole.
    public let field: String
    /// What was found there.
    public let found: String
    /// What is wanted there.
    public let wanted: String

    /// An error.
    public init(_ code: Code, field: String, found: String, wanted: String) {
        self.code = code
        self.field = field
        self.found = found
        self.wanted = wanted
    }

    /// One line: `rules.spread_minutes: found -1, wanted an integer from 0 to 1440`.
    public var description: String { "\(field.isEmpty ? "line" : field): found \(found), wanted \(wanted)" }
}
