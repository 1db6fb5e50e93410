import Delivery
import Systemd

extension Reporter {
    /// The decision service began or ended to count as dead. One line a minute for each: `nudged status` knows how it stands.
    func decisions(_ standing: DecisionStanding) {
        if standing.state == .active {
            say(.decisionBack, "the decision service answers again")
        } else {
            let why = (standing.reason ?? "it fails").oneLine
            say(
                .decisionFallback,
                "the decision service is left alone, and each user's fallback_strategy decides: \(why); it is tried again within a minute",
                ["reason": "\(why)"]
            )
        }
    }
}
