import TimeZones

/// Remembers since when each lane has its state. The lanes only know the state.
struct LaneMemory: Sendable {
    private var last: [LaneReport] = []

    /// - Parameters:
    ///   - now: the policy's `now`. nil until it is known.
    ///   - boot: milliseconds of CLOCK_BOOTTIME at the same moment.
    mutating func reports(_ samples: [LaneSample], now: Instant?, boot: Int64) -> [LaneReport] {
        let reports = samples.map { sample in
            var report = LaneReport(sample, since: now) { instant in
                // An instant in the past counts as now.
                now.map { $0 + (max(instant, boot) - boot) / 1000 }
            }
            let before = last.first { $0.lane == sample.lane }
            if let before, !report.isNews(after: before), let since = before.since { report.since = since }
            return report
        }
        last = reports
        return reports
    }
}
