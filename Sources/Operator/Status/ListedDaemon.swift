import Service
import Core
import TimeZones

/// A daemon's row, with its state.
struct ListedDaemon: Sendable {
    let row: DaemonRow
    /// Nil if the state can't be read.
    let state: DaemonState?

    init(_ row: DaemonRow) {
        self.row = row
        state = DaemonState(json: row.state)
    }

    var isAlive: Bool { row.isAlive }

    /// When the last good sweep ended, if that was over `patience` seconds before the row was written, and it serves
    /// nobody. A sweep over many users takes minutes, but it serves them meanwhile.
    func stalledSince(patience: Int64) -> Instant? {
        guard let state, state.usersPerMinute == 0, state.lastSweep != nil else { return nil }
        let since = state.lastGood ?? row.startedAt
        return row.seenAt - since > patience ? since : nil
    }

    /// The ranges in short, as nudged.range numbers them: `-32..-1, 4 (33 of 64)`.
    var ranges: String {
        var spans: [(first: Int16, last: Int16)] = []
        for range in row.ranges {
            if let last = spans.last?.last, range == last + 1 {
                spans[spans.count - 1].last = range
            } else {
                spans.append((range, range))
            }
        }
        let text = spans.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)..\($0.last)" }
        return text.isEmpty ? "none" : "\(text.joined(separator: ", ")) (\(row.ranges.count) of 64)"
    }
}
