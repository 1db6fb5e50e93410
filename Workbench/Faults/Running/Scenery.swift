public import APNsSimulator

/// What a round needs besides its population.
public struct Scenery: Sendable {
    /// Settings of a PostgreSQL for this round alone; nil for the workshop's, which no round may harm.
    public var ownCluster: [String: String]?
    /// How long Apple takes to answer, in milliseconds. The token decides within this range.
    public var answerMilliseconds: ClosedRange<Int> = 5...40
    /// Apple's answer before the population's; nil for none. Called on the simulator's thread.
    public var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
    /// Environment variables for every daemon of the round.
    public var environment: [String: String] = [:]

    /// Replaces the usual comparison if the policy's clock is not the host's; nil for the usual one.
    public var check: (@Sendable (Stage) async throws -> BookCheck)?

    /// The defaults.
    public init() {}
}
