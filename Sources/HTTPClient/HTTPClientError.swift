/// Why a call had no answer. A status is an answer, whatever it says; so is a redirect, which is not followed.
///
/// The description names hosts, files and libcurl's reasons: never the rest of an address, a token, a request's or an answer's text.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to treat differently.
    public enum Code: Sendable, Equatable, CaseIterable {
        /// The address, the token or another part of the request can't be sent.
        case invalidRequest
        /// The file of certificates to trust can't be read.
        case trustFile
        /// The host's name leads to no address.
        case unresolved
        /// No connection: refused, or no way there.
        case unreachable
        /// The server's certificate leads to no authority that we trust.
        case untrusted
        /// The server's certificate has expired.
        case expired
        /// The server's certificate isn't valid yet.
        case notYetValid
        /// The server's certificate is for another host.
        case hostMismatch
        /// The server's certificate was refused for another reason.
        case refusedCertificate
        /// No TLS of version 1.2 or newer came about.
        case handshake
        /// The connection ended before the answer did.
        case brokenOff
        /// What came is no HTTP.
        case malformed
        /// The answer is larger than `HTTPClientSettings.maximumAnswer`.
        case tooLarge
        /// The deadline has passed: in the queue, on the way, or while the server was silent.
        case timedOut
        /// Too many calls wait already; this one was never begun.
        case queueFull
        /// The caller's task was cancelled.
        case cancelled
        /// The client was closed.
        case closed
        /// The system has no thread or memory left.
        case resources
        /// libcurl failed otherwise.
        case library
    }

    /// What kind it is.
    public let code: Code
    /// What was attempted, what happened, and, where there is one, the mend.
    public let context: String
    /// libcurl's or the system's reason; nil where the context says it all.
    public let cause: String?

    init(_ code: Code, _ context: String, cause: String? = nil) {
        self.code = code
        self.context = context
        self.cause = cause
    }

    static let closed = HTTPClientError(.closed, "the HTTP client was closed")

    /// The words for the log.
    public var description: String { cause.map { "\(context): \($0)" } ?? context }
}
