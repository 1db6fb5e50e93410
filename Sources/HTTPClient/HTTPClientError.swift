/// Why a call got no answer. Every status is an answer, even a redirect, which is not followed.
///
/// The description names hosts, files and libcurl's reasons. It never holds the rest of an address, a token, or the
/// text of a request or answer.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller may treat differently.
    public enum Code: Sendable, Equatable, CaseIterable {
        /// The address, the token or another part of the request can't be sent.
        case invalidRequest
        /// The file of certificates to trust can't be read.
        case trustFile
        /// The host's name has no address.
        case unresolved
        /// The connection was refused, or there is no route.
        case unreachable
        /// The server's certificate isn't signed by a trusted authority.
        case untrusted
        case expired
        case notYetValid
        /// The server's certificate is for another host.
        case hostMismatch
        /// The server's certificate was refused for another reason.
        case refusedCertificate
        /// No TLS connection of version 1.3, or of 1.2 with ECDHE and AEAD, was possible.
        case handshake
        /// The connection ended before the answer was complete.
        case brokenOff
        /// The answer isn't HTTP.
        case malformed
        /// The answer is larger than `HTTPClientSettings.maximumAnswer`.
        case tooLarge
        /// The deadline has passed: in the queue, during the transfer, or while the server was silent.
        case timedOut
        /// Too many calls wait. This one was never started.
        case queueFull
        case cancelled
        case closed
        /// The system has no thread or memory left.
        case resources
        /// libcurl can't be loaded, or failed for another reason.
        case library
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted, what happened and, if there is one, the remedy.
    public let context: String
    /// libcurl's or the system's reason. Nil if the context says everything.
    public let cause: String?

    init(_ code: Code, _ context: String, cause: String? = nil) {
        self.code = code
        self.context = context
        self.cause = cause
    }

    static let closed = HTTPClientError(.closed, "the HTTP client was closed")

    /// The text for the log.
    public var description: String { cause.map { "\(context): \($0)" } ?? context }
}
