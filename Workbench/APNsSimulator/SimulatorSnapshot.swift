/// All that the simulator has kept, at one instant.
public struct SimulatorSnapshot: Sendable {
    /// The numbers.
    public let counts: SimulatorCounts
    /// Pushes taken, in order; empty where only numbers are kept.
    public let accepted: [AcceptedPush]
    /// Every request as it arrived, in order; empty where only numbers are kept.
    public let received: [ReceivedRequest]
    /// Every request and what became of it, in order; empty where only numbers are kept.
    public let answered: [AnsweredRequest]
}
