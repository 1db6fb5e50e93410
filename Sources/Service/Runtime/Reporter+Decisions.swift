import Core
import Base

extension Reporter {
    /// The decision service began or stopped to count as dead. Each event has one line a minute at most. `nudged
    /// status` shows the current state.
    func decisions(_ status: DecisionStatus) {
        if status.state == .active {
            say(.decisionBack, "the decision service answers again")
        } else {
            let why = (status.reason ?? "it fails").oneLine
            say(
                .decisionFallback,
                "the decision service is not called for now: \(why); each user's fallback_strategy decides; "
                    + "nudged tries the service again within a minute",
                ["reason": "\(why)"]
            )
        }
    }
}
