/// One request and its answer.
public struct AnsweredRequest: Sendable, Equatable {
    /// The device token of the path; empty if there was none.
    public let token: String
    /// The status; 0 if it was not answered.
    public let status: Int
    /// Apple's reason; empty for 200, for a raw body and for no answer.
    public let reason: String
    /// The connection's number, from 1.
    public let connection: Int
}
