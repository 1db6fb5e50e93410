import HTML
import TimeZones

/// Instants for a reader, and the marks of a time axis. Everything is UTC.
enum TimeText {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-11-21 18:40`
    static func minute(_ instant: Instant) -> String {
        let text = instant.rfc3339
        return "\(text.prefix(10)) \(clock(instant))"
    }

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

    /// Hours between two marks.
    private static let steps: [Int64] = [6, 12, 24, 48, 120, 168, 240, 480, 960, 1920, 2400]

    /// At most five marks, at round hours or at midnight.
    static func marks(_ window: ReportWindow) -> [ColumnChart.Mark] {
        let length = window.until - window.from
        let step = (steps.first { length / ($0 * 3600) <= 4 } ?? steps[steps.count - 1]) * 3600
        var marks: [ColumnChart.Mark] = []
        var mark = Instant(seconds: (window.from.seconds + step - 1) / step * step)
        while mark <= window.until {
            let text = step < 86_400 && mark.seconds % 86_400 != 0 ? clock(mark) : day(mark)
            marks.append(ColumnChart.Mark(Double(mark - window.from) / Double(length), text))
            mark = mark + step
        }
        return marks
    }
}
