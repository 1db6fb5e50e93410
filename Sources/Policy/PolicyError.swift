/// Why an input or a rule can't be used. It never contains the text of a message.
public struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable {
        /// The line is not a JSON object.
        case notJSON
        /// A required field is absent.
        case missing
        /// A field has the wrong type.
        case wrongType
        /// The type is right, but the value is not.
        case outOfRange
    }

    /// The kind of error.
    public let code: Code
    /// The field's path, such as `rules.quiet_hours.start`. Empty for the whole line.
    public let field: String
    /// What was found there.
    public let found: String
    /// What is expected there.
    public let wanted: String

    /// Creates an error.
    public init(_ code: Code, field: String, found: String, wanted: String) {
        self.code = code
        self.field = field
        self.found = found
        self.wanted = wanted
    }

    /// One line, such as `rules.spread_minutes: found -1, wanted an integer from 0 to 1440`.
    public var description: String { "\(field.isEmpty ? "line" : field): found \(found), wanted \(wanted)" }
}
