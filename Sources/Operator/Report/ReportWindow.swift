import TimeZones

/// The time that a report covers. It has equal stretches, which begin at whole hours or days of UTC.
struct ReportWindow: Sendable, Equatable {
    /// The database's clock at the start of the count.
    let now: Instant
    let days: Int
    /// The hours of one stretch.
    let stretchHours: Int
    /// The number of stretches.
    let count: Int

    /// The most bars of a chart that a phone's screen can show apart.
    static let mostStretches = 100
    private static let lengths = [1, 2, 3, 6, 12, 24, 48, 96]

    /// - Parameter days: one of `ReportRun.days`.
    init(now: Instant, days: Int) {
        self.now = now
        self.days = days
        stretchHours =
            Self.lengths.first { days * 24 <= Self.mostStretches * $0 } ?? Self.lengths[Self.lengths.count - 1]
        count = max(1, (days * 24 + stretchHours - 1) / stretchHours)
    }

    /// The seconds of one stretch.
    var stretch: Int64 { Int64(stretchHours) * 3600 }
    /// The first instant after the stretch that holds `now`.
    var until: Instant { Instant(seconds: (now.seconds / stretch + 1) * stretch) }
    /// The first instant of the window.
    var from: Instant { until - Int64(count) * stretch }

    /// When a stretch begins.
    func beginning(of place: Int) -> Instant { from + Int64(place) * stretch }

    /// The index of a stretch from the database's number for it. Nil if it is not in the window.
    func place(ofStretch number: Int64) -> Int? {
        let place = number - from.seconds / stretch
        return (0..<Int64(count)).contains(place) ? Int(place) : nil
    }
}
