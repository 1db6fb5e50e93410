import TimeZones

/// Remembers since when each lane stands as it does: the lanes themselves only say how.
struct LaneMemory: Sendable {
    private var last: [LaneReport] = []

    /// - Parameters:
    ///   - now: the policy's, nil while it is not known.
    ///   - boot: milliseconds of CLOCK_BOOTTIME at the same moment.
    mutating func reports(_ samples: [LaneSample], now: Instant?, boot: Int64) -> [LaneReport] {
        let reports = samples.map { sample in
            var report = LaneReport(sample, since: now) { instant in
                // An instant that has gone by is now.
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
