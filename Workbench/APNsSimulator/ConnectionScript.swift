/// What happens on one connection, whatever is asked on it.
public struct ConnectionScript: Sendable, Equatable {
    /// Done once it stands.
    public var atOpening: [ConnectionAction]
    /// Done when the request of that number (from 1) arrives, before it is looked at.
    public var atRequest: [Int: [ConnectionAction]]
    /// Whether the first accepted push raises the number of streams.
    public var raisesStreams: Bool

    /// A connection like any other, but for what is given.
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
