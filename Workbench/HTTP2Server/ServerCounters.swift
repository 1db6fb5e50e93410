/// What a server has counted since its start.
public struct ServerCounters: Sendable, Equatable {
    /// TCP connections accepted.
    public var accepted = 0
    /// TLS handshakes finished.
    public var opened = 0
    /// TLS handshakes that failed.
    public var refused = 0
    /// Connections that were closed, including failed handshakes.
    public var closed = 0
    /// Streams that a client began: HEADERS arrived, the whole request perhaps not.
    public var begun = 0
    /// Whole requests.
    public var requests = 0
    /// Answers submitted.
    public var responses = 0
    /// RST_STREAM frames received.
    public var resetsReceived = 0
    /// PING frames received.
    public var pingsReceived = 0
    /// Answers to PING frames received.
    public var pongsReceived = 0

    /// All counts are zero.
    public init() {}
}
