/// Decides when a daemon writes its row.
struct HeartbeatSchedule: Sendable {
    /// Milliseconds from beat to beat where nothing changes. A daemon counts as alive for three of them.
    static let interval: Int64 = 10_000

    private var last: (at: Int64, lanes: [LaneReport])?

    /// Whether to beat now: at first, every ten seconds, and at once when a lane's state changes.
    ///
    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    func isDue(now: Int64, lanes: [LaneReport]) -> Bool {
        guard let last else { return true }
        return now - last.at >= Self.interval || lanes.count != last.lanes.count
            || zip(lanes, last.lanes).contains { $0.isNews(after: $1) }
    }

    /// A beat was tried, whatever became of it: a database that refuses it is not asked every second.
    mutating func noteBeat(now: Int64, lanes: [LaneReport]) {
        last = (now, lanes)
    }
}
