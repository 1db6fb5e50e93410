/// The result of a request.
public enum RequestResult: Sendable, Equatable {
    case response(Response)
    /// Never completely written, or not processed according to the server. It can be sent again without a duplicate.
    case unsent(UnsentReason)
    /// Completely written, or possibly so, without an answer.
    case unknown(UnknownReason)
}
