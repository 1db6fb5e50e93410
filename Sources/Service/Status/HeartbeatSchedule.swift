import Delivery

/// Decides when a daemon writes its row.
package struct HeartbeatSchedule: Sendable {
    /// Milliseconds from beat to beat where nothing changes.
    package static let interval: Int64 = 10_000
    /// Milliseconds for which a daemon counts as alive after its last beat.
    package static let aliveMilliseconds: Int64 = 3 * interval

    private var last: (at: Int64, lanes: [LaneReport], decision: DecisionStanding?)?

    /// Whether to beat now: at first, every ten seconds, and at once when the state of a lane or of the decision service changes.
    ///
    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    func isDue(now: Int64, lanes: [LaneReport], decision: DecisionStanding? = nil) -> Bool {
        guard let last else { return true }
        return now - last.at >= Self.interval || lanes.count != last.lanes.count
            || decision?.state != last.decision?.state || zip(lanes, last.lanes).contains { $0.isNews(after: $1) }
    }

    /// A beat was tried, whatever became of it: a database that refuses it is not asked every second.
    mutating func noteBeat(now: Int64, lanes: [LaneReport], decision: DecisionStanding? = nil) {
        last = (now, lanes, decision)
    }
}
