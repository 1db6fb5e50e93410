/// What became of a request.
public enum RequestResult: Sendable, Equatable {
    /// The server answered, with any status.
    case response(Response)
    /// Never wholly written, or not processed by the server's own word: can be sent again without risk of doing it twice.
    case unsent(UnsentReason)
    /// Wholly written, or perhaps so, and no answer.
    case unknown(UnknownReason)
}
