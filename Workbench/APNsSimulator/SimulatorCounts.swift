/// What the simulator has counted since its start.
public struct SimulatorCounts: Sendable, Equatable {
    /// Connections that finished their TLS handshake.
    public var connections = 0
    /// Requests that were answered or left unanswered. A held request counts when it is released.
    public var requests = 0
    /// Accepted pushes.
    public var accepted = 0
    /// Valid requests that are held now.
    public var held = 0
    /// The most requests that were held at once.
    public var mostHeld = 0
    /// Answers by status. Requests without an answer count as 0.
    public var byStatus: [Int: Int] = [:]
    /// Answers by Apple's reason.
    public var byReason: [String: Int] = [:]

    /// All counts are zero.
    public init() {}
}
