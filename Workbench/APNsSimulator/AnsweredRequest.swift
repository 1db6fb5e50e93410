/// One request and what became of it.
public struct AnsweredRequest: Sendable, Equatable {
    /// The device token of the path; empty where there was none.
    public let token: String
    /// The status; 0 where nothing was answered.
    public let status: Int
    /// Apple's reason; empty for 200, for a raw body and for silence.
    public let reason: String
    /// The connection's number, from 1.
    public let connection: Int
}
