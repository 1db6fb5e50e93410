public import APNsSimulator

/// What a round wants beside its population.
public struct Scenery: Sendable {
    /// A PostgreSQL of its own, with these settings; nil: the workshop's, which no round may harm.
    public var ownCluster: [String: String]?
    /// How long Apple takes to answer, drawn by token between these milliseconds.
    public var answerMilliseconds: ClosedRange<Int> = 5...40
    /// What Apple does before it is asked what the population says; nil: nothing else. Called on the simulator's thread.
    public var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
    /// Variables for every daemon of the round.
    public var environment: [String: String] = [:]

    /// Compares in place of the judge, where the policy's clock is not the host's; nil: the judge does.
    public var verdict: (@Sendable (Stage) async throws -> Verdict)?

    /// A calm day.
    public init() {}
}
