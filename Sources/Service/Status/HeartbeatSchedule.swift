import Core

/// Decides when a daemon writes its row.
package struct HeartbeatSchedule: Sendable {
    /// Milliseconds from one write to the next if nothing changes.
    package static let interval: Int64 = 10_000
    /// Milliseconds after its last write for which a daemon counts as alive.
    package static let aliveMilliseconds: Int64 = 3 * interval

    private var last: (at: Int64, lanes: [LaneReport], decision: DecisionStatus?, failure: SweepFailure?)?

    /// Whether to write now: the first time, every ten seconds, and when a lane or the decision service changes, or
    /// sweeps begin or cease to fail.
    ///
    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    func isDue(
        now: Int64,
        lanes: [LaneReport],
        decision: DecisionStatus? = nil,
        failure: SweepFailure? = nil
    ) -> Bool {
        guard let last else { return true }
        return now - last.at >= Self.interval || lanes.count != last.lanes.count
            || decision?.state != last.decision?.state || failure?.isNews(after: last.failure) == true
            || zip(lanes, last.lanes).contains { $0.isNews(after: $1) }
    }

    /// A write was tried, with or without success. So a database that refuses it is not tried every second.
    mutating func noteBeat(
        now: Int64,
        lanes: [LaneReport],
        decision: DecisionStatus? = nil,
        failure: SweepFailure? = nil
    ) {
        last = (now, lanes, decision, failure)
    }
}
