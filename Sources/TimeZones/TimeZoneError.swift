/// Why a file is no time zone.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure.
    public enum Code: Sendable {
        /// There is no such file, or it is no regular file, or it cannot be read.
        case unreadable
        /// The bytes are no TZif file (RFC 9636).
        case malformed
    }

    /// What kind of failure.
    public let code: Code
    /// The cause in words, never the file's bytes.
    public let cause: String

    /// An error.
    public init(_ code: Code, _ cause: String) {
        self.code = code
        self.cause = cause
    }

    /// One line.
    public var description: String { "\(code): \(cause)" }
}
