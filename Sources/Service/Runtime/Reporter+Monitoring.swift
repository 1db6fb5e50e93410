import Delivery
import Metrics
import Systemd

extension Reporter {
    /// One line where a place of the metrics begins to fail, however often it is tried.
    func metricsFailed(_ error: MetricsError, at place: String) {
        guard metricsTroubles.withLock({ $0.insert(place).inserted }) else { return }
        say(
            .metricsFailed,
            about: place,
            "the metrics are not shown: \(error); it is tried again every ten seconds",
            ["place": "\(place)"]
        )
    }

    /// And one where it works again.
    func metricsShown(at place: String) {
        guard metricsTroubles.withLock({ $0.remove(place) }) != nil else { return }
        say(.metricsBack, about: place, "the metrics are shown at \(place)", ["place": "\(place)"])
    }

    /// The calls of the heartbeat's address fail, or are answered again.
    func heartbeat(_ news: HeartbeatPace.News) {
        switch news {
        case .failed(let words):
            let why = words.oneLine
            say(
                .heartbeatFailed,
                "the heartbeat's address is called in vain: \(why); nudges are sent all the same",
                ["reason": "\(why)"]
            )
        case .answered: say(.heartbeatBack, "the heartbeat's address answers again")
        }
    }
}
