import Core

/// The state of a daemon at one moment, from its parts.
struct DaemonSample: Sendable {
    /// The main app's lane first.
    var lanes: [LaneSample]
    /// nil: no decision service is configured.
    var decision: DecisionStatus?
    /// Pushes whose intents are open.
    var inFlight: Int
    /// Log lines that could not be written since the start.
    var lostLines = 0
    /// From the start of one sweep to the next.
    var interval: Duration
    /// Users served since the start.
    var served = 0
}
