/// Everything that the simulator had recorded at one instant.
public struct SimulatorSnapshot: Sendable {
    /// The counts.
    public let counts: SimulatorCounts
    /// Accepted pushes in order; empty if only counts are recorded.
    public let accepted: [AcceptedPush]
    /// Every request as it arrived, in order; empty if only counts are recorded.
    public let received: [ReceivedRequest]
    /// Every request and its answer, in order; empty if only counts are recorded.
    public let answered: [AnsweredRequest]
}
