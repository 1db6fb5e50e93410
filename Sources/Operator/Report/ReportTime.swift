import Core
import TimeZones

/// The time that a report covers. It has equal stretches, which begin at whole hours or days of UTC.
struct ReportWindow: Sendable, Equatable {
    let now: Instant
    let days: Int
    let stretchHours: Int
    let count: Int

    /// The most bars of a chart that a phone's screen can show apart.
    static let mostStretches = 100
    private static let lengths = [1, 2, 3, 6, 12, 24, 48, 96]

    init(now: Instant, days: Int) {
        self.now = now
        self.days = days
        stretchHours =
            Self.lengths.first { days * 24 <= Self.mostStretches * $0 } ?? Self.lengths[Self.lengths.count - 1]
        count = max(1, (days * 24 + stretchHours - 1) / stretchHours)
    }

    var stretch: Int64 { Int64(stretchHours) * 3600 }
    /// The first instant after the stretch that holds `now`.
    var until: Instant { Instant(seconds: (now.seconds / stretch + 1) * stretch) }
    var from: Instant { until - Int64(count) * stretch }

    func beginning(of place: Int) -> Instant { from + Int64(place) * stretch }

    func stretches(_ rows: [DeliveryCount]) -> [[DeliveryCount]] {
        let byNumber = Dictionary(grouping: rows, by: \.stretch)
        let first = from.seconds / stretch
        return (0..<Int64(count)).map { byNumber[first + $0] ?? [] }
    }
}

enum TimeText {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-11-21 18:40`
    static func minute(_ instant: Instant) -> String { "\(instant.rfc3339.prefix(10)) \(clock(instant))" }

    /// `18:40`
    static func clock(_ instant: Instant) -> String { String(instant.rfc3339.dropFirst(11).prefix(5)) }

    /// `21 Nov`
    static func day(_ instant: Instant) -> String {
        let text = instant.rfc3339
        let month = Int(text.dropFirst(5).prefix(2)).map { months[($0 - 1) % months.count] } ?? ""
        return "\(Int(text.dropFirst(8).prefix(2)) ?? 0) \(month)"
    }

    /// `21 Nov 18:00 to 20:00`. The day is repeated if it differs.
    static func span(from: Instant, until: Instant) -> String {
        let isSameDay = from.seconds / 86_400 == (until.seconds - 1) / 86_400
        return "\(day(from)) \(clock(from)) to \(isSameDay ? "" : "\(day(until)) ")\(clock(until))"
    }

    private static let steps: [Int64] = [6, 12, 24, 48, 120, 168, 240, 480, 960, 1920, 2400]

    /// At most five marks, at round hours or at midnight.
    static func marks(_ window: ReportWindow) -> [ColumnChart.Mark] {
        let length = window.until - window.from
        let step = (steps.first { length / ($0 * 3600) <= 4 } ?? steps[steps.count - 1]) * 3600
        var marks: [ColumnChart.Mark] = []
        var mark = Instant(seconds: (window.from.seconds + step - 1) / step * step)
        while mark <= window.until {
            let text = step < 86_400 && mark.seconds % 86_400 != 0 ? clock(mark) : day(mark)
            marks.append((Double(mark - window.from) / Double(length), text))
            mark = mark + step
        }
        return marks
    }
}
