/// The scripted behaviour of one connection, independent of its requests.
public struct ConnectionScript: Sendable, Equatable {
    /// Performed after the TLS handshake.
    public var atOpening: [ConnectionAction]
    /// Performed when the request with that number (from 1) arrives, before it is checked.
    public var atRequest: [Int: [ConnectionAction]]
    /// Whether the first accepted push raises MAX_CONCURRENT_STREAMS.
    public var raisesStreams: Bool

    /// A connection with default behaviour, except for what is given.
    public init(
        atOpening: [ConnectionAction] = [],
        atRequest: [Int: [ConnectionAction]] = [:],
        raisesStreams: Bool = true
    ) {
        self.atOpening = atOpening
        self.atRequest = atRequest
        self.raisesStreams = raisesStreams
    }
}
