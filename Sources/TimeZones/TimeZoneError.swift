/// Why there is no time zone of a name, or why it can't be told.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure.
    public enum Code: Sendable {
        /// There is no such file, or it is no regular file.
        case missing
        /// The bytes are no TZif file (RFC 9636).
        case malformed
        /// The file may well be a zone's, but could not be read now: no descriptor is free, the disk fails, a right is missing.
        case unreadable
    }

    /// What kind of failure.
    public let code: Code
    /// The cause in words, never the file's bytes.
    public let cause: String
    /// The system's error number; nil where it is no call that failed.
    public let number: Int32?

    /// An error.
    public init(_ code: Code, _ cause: String, number: Int32? = nil) {
        self.code = code
        self.cause = cause
        self.number = number
    }

    /// One line.
    public var description: String { "\(code): \(cause)" }
}
