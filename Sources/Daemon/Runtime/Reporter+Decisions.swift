import Systemd

extension Reporter {
    /// The decision service began or ended to count as dead. One line a minute for each: `nudged status` knows how it stands.
    func decisions(_ standing: DecisionStanding) {
        guard let suppressed = decisionLines.admit(standing.state.rawValue, now: BootTime.milliseconds()) else {
            return
        }
        let more = suppressed > 0 ? " (and \(suppressed) times more since the last such line)" : ""
        if standing.state == .active {
            say(.decisionBack, .notice, "the decision service answers again\(more)")
        } else {
            let why = DaemonState.clean(standing.reason ?? "it fails")
            say(
                .decisionFallback,
                .warning,
                "the decision service is left alone, and each user's fallback_strategy decides: \(why); it is tried again within a minute\(more)",
                ["reason": "\(why)"]
            )
        }
    }
}
