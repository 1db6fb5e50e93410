/// What the simulator has seen since its start, in numbers.
public struct SimulatorCounts: Sendable, Equatable {
    /// Connections that finished their TLS handshake.
    public var connections = 0
    /// Requests that arrived whole.
    public var requests = 0
    /// Pushes taken.
    public var accepted = 0
    /// Good requests that wait for `release()` now.
    public var held = 0
    /// The most good requests that waited for `release()` at once.
    public var mostHeld = 0
    /// Answers by status; requests without an answer count under 0.
    public var byStatus: [Int: Int] = [:]
    /// Answers by Apple's reason.
    public var byReason: [String: Int] = [:]

    /// All zero.
    public init() {}
}
