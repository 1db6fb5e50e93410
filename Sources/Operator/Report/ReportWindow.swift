import TimeZones

/// The time that a report looks at, cut into equal stretches that begin with whole hours, or days, of UTC.
struct ReportWindow: Sendable, Equatable {
    /// The database's clock when it was read.
    let now: Instant
    let days: Int
    /// Hours of a stretch.
    let stretchHours: Int
    /// How many.
    let count: Int

    /// No chart has more bars than a telephone's screen shows apart.
    static let mostStretches = 100
    private static let lengths = [1, 2, 3, 6, 12, 24, 48, 96]

    /// - Parameter days: 1 to `ReportRun.days`' end.
    init(now: Instant, days: Int) {
        self.now = now
        self.days = days
        stretchHours =
            Self.lengths.first { days * 24 <= Self.mostStretches * $0 } ?? Self.lengths[Self.lengths.count - 1]
        count = max(1, (days * 24 + stretchHours - 1) / stretchHours)
    }

    /// Seconds of a stretch.
    var stretch: Int64 { Int64(stretchHours) * 3600 }
    /// The first instant after the stretch of now.
    var until: Instant { Instant(seconds: (now.seconds / stretch + 1) * stretch) }
    /// The first instant.
    var from: Instant { until - Int64(count) * stretch }

    /// When a stretch begins.
    func beginning(of place: Int) -> Instant { from + Int64(place) * stretch }

    /// Which one, of the database's number for it; nil outside.
    func place(ofStretch number: Int64) -> Int? {
        let place = number - from.seconds / stretch
        return (0..<Int64(count)).contains(place) ? Int(place) : nil
    }
}
