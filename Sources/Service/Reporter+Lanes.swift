import APNs
import Base
import Core
import Metrics
import Systemd

extension Reporter {
    func sender(_ event: SenderEvent, _ lane: LaneIdentity) {
        let (name, text, fields) = Self.line(event, lane.text)
        let all = fields.merging(["topic": lane.topic, "environment": lane.environment]) { $1 }
        say(name, about: lane.text, text, all)
    }

    private static func line(_ event: SenderEvent, _ lane: String) -> (Event, String, [String: String]) {
        switch event {
        case .connectionOpened(let number, let streams, let server):
            let name = server.isApples ? "Apple" : "\(server), which is not Apple's,"
            let fields = ["connection": "\(number)", "streams": "\(streams)", "server": "\(server)"]
            return (.connectionOpened, "connected to \(name) for \(lane)", fields)
        case .connectionLost(let number, let why, let retry):
            let next = retry > 0 ? "; next try in \(retry) ms" : ""
            return (
                .connectionLost, "the connection for \(lane) ended: \(why)\(next)", ["connection": "\(number)"]
            )
        case .connectionSilent(let number, let unanswered):
            let text = "nudged closes a connection for \(lane): \(unanswered) pushes in a row were not answered"
            return (.connectionLost, text, ["connection": "\(number)"])
        case .goAway(let number, let reason):
            let text = "the server closes a connection for \(lane): \(reason)"
            return (.goaway, text, ["connection": "\(number)", "reason": reason])
        case .connectionResting:
            let text = "a connection for \(lane) sends nothing for 20 minutes (TooManyProviderTokenUpdates)"
            return (.connectionResting, text, [:])
        case .laneStopped(let reason, let remedy):
            let text = "sending for \(lane) is stopped, \(LaneStatus.cause(reason)): \(remedy)"
            return (.laneStopped, text, ["reason": reason])
        case .laneResumed: return (.laneResumed, "sending for \(lane) resumes", [:])
        case .tokenMinted(let keyID, let issuedAt):
            let fields = ["key_id": keyID, "issued_at": "\(issuedAt)"]
            return (.providerTokenMinted, "signed a provider token", fields)
        case .storm(let count, let status, let reason):
            let pushes = Elapsed.counted(count, "push", "pushes")
            let text = "Apple answered \(pushes) for \(lane) with \(status) \(reason); sending slows down"
            return (.laneSlowed, text, ["count": "\(count)", "status": "\(status)", "reason": "\(reason)"])
        case .ourBug(let status, let reason):
            let text = "Apple refused a push because of a bug in nudged: \(status) \(reason); please report it"
            return (.ourBug, text, ["status": "\(status)", "reason": reason])
        }
    }

    // MARK: Decisions, metrics and the heartbeat

    /// The decision service began or stopped to count as dead. Each event has one line a minute at most. `nudged
    /// status` shows the current state.
    func decisions(_ status: DecisionStatus) {
        if status.state == DecisionStatus.active {
            say(.decisionBack, "the decision service answers again")
        } else {
            let why = (status.reason ?? "it fails").oneLine
            say(
                .decisionFallback,
                "the decision service is not called for now: \(why); each user's fallback_strategy decides; "
                    + "nudged tries the service again within a minute",
                ["reason": why]
            )
        }
    }

    /// One line when a port or file of the metrics begins to fail, however often it is retried.
    func metricsFailed(_ error: MetricsError, at place: String) {
        guard metricsTroubles.withLock({ $0.insert(place).inserted }) else { return }
        let text = "the metrics can't be served or written: \(error); nudged tries again every ten seconds"
        say(.metricsFailed, about: place, text, ["place": place])
    }

    func metricsShown(at place: String) {
        guard metricsTroubles.withLock({ $0.remove(place) }) != nil else { return }
        say(.metricsBack, about: place, "the metrics are available again at \(place)", ["place": place])
    }

    func heartbeat(_ fault: String?) {
        if let why = fault?.oneLine {
            say(.heartbeatFailed, "the heartbeat's calls fail: \(why); nudges are still sent", ["reason": why])
        } else {
            say(.heartbeatBack, "the heartbeat's calls succeed again")
        }
    }
}
