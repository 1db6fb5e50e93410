/// A server can't be started or can't listen. (A client's failures are a `CloseReason`.)
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Equatable {
        /// The certificate or key can't be used.
        case credentials
        /// The server can't listen on the address; the value is errno.
        case listen(errno: Int32)
        /// The system refused a thread, a descriptor or memory; the value is errno.
        case resources(errno: Int32)
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted and what happened.
    public let context: String

    init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The context.
    public var description: String { context }
}
