import Core
import Metrics
import Base

extension Reporter {
    /// One line when a port or file of the metrics begins to fail, however often it is retried.
    func metricsFailed(_ error: MetricsError, at place: String) {
        guard metricsTroubles.withLock({ $0.insert(place).inserted }) else { return }
        say(
            .metricsFailed,
            about: place,
            "the metrics can't be served or written: \(error); nudged tries again every ten seconds",
            ["place": "\(place)"]
        )
    }

    /// One line when it works again.
    func metricsShown(at place: String) {
        guard metricsTroubles.withLock({ $0.remove(place) }) != nil else { return }
        say(.metricsBack, about: place, "the metrics are available again at \(place)", ["place": "\(place)"])
    }

    /// The calls of the heartbeat's address began to fail, or work again.
    func heartbeat(_ news: HeartbeatPace.News) {
        switch news {
        case .failed(let text):
            let why = text.oneLine
            say(
                .heartbeatFailed,
                "the heartbeat's calls fail: \(why); nudges are still sent",
                ["reason": "\(why)"]
            )
        case .answered: say(.heartbeatBack, "the heartbeat's calls succeed again")
        }
    }
}
