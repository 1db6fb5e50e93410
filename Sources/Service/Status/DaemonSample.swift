import Delivery

/// How the daemon stands at one moment, as its parts tell it.
struct DaemonSample: Sendable {
    /// Its lanes, the main one first.
    var lanes: [LaneSample]
    /// The decision service; nil: none is asked.
    var decision: DecisionStanding?
    /// Pushes whose intents are open.
    var inFlight: Int
    /// Log lines that could not be written since the start.
    var lostLines = 0
    /// From sweep to sweep.
    var interval: Duration
}
