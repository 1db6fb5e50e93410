/// Why there is no time zone with a name, or why that is unknown.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable {
        /// There is no such file, or it is not a regular file.
        case missing
        /// The bytes are not a TZif file (RFC 9636).
        case malformed
        /// The file could not be read now: no free descriptor, a failing disk, a missing permission. It may be a valid
        /// zone.
        case unreadable
    }

    /// The kind of failure.
    public let code: Code
    /// The cause as text, never the file's bytes.
    public let cause: String
    /// The system's error number. Nil if no system call failed.
    public let number: Int32?

    /// An error with these values.
    public init(_ code: Code, _ cause: String, number: Int32? = nil) {
        self.code = code
        self.cause = cause
        self.number = number
    }

    /// The kind and the cause in one line.
    public var description: String { "\(code): \(cause)" }
}
