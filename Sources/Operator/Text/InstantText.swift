import Policy
package import TimeZones

package enum InstantText {
    /// Reads `2026-11-21T12:00:00Z`, or the same with an offset such as `+01:00`. Nil for any other text.
    package static func parse(_ text: String) -> Instant? {
        if let instant = Instant(rfc3339: text) { return instant }
        guard text.utf8.count == 25, let found = text.wholeMatch(of: /(.{19})([+-])([0-1][0-9]|2[0-3]):([0-5][0-9])/),
            let local = Instant(rfc3339: found.1 + "Z"), let hours = Int64(found.3), let minutes = Int64(found.4)
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return found.2 == "+" ? local - seconds : local + seconds
    }

    /// `2026-11-21 13:00:00 +01:00`; UTC if there is no zone.
    static func local(_ instant: Instant, _ zone: Zone?) -> String {
        guard let zone else { return "\(clock(instant, offset: 0)) UTC" }
        let offset = zone.offset(at: instant)
        return "\(clock(instant, offset: offset)) \(Self.offset(Int64(offset)))"
    }

    /// `today at 18:30`, `tomorrow at 10:00`, `on Friday 2026-11-27 at 10:00`: local time, without seconds.
    static func day(_ instant: Instant, from now: Instant, _ zone: Zone?) -> String {
        let text = local(instant, zone)
        guard let date = LocalDate(iso: String(text.prefix(10))),
            let today = LocalDate(iso: String(local(now, zone).prefix(10)))
        else { return text }
        let days: Int = date - today
        let near = [0: "today", 1: "tomorrow", -1: "yesterday"]
        return "\(near[days] ?? "on \(weekday(date)) \(date.iso)") at \(text.dropFirst(11).prefix(5))"
    }

    /// `09:12`, `yesterday at 22:10`, `Friday 2026-11-20 at 10:00`, to follow "since".
    static func since(_ instant: Instant, from now: Instant, _ zone: Zone?) -> String {
        let text = day(instant, from: now, zone)
        for lead in ["today at ", "on "] where text.hasPrefix(lead) { return String(text.dropFirst(lead.count)) }
        return text
    }

    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    static func weekday(_ date: LocalDate) -> String { weekdays[date.isoWeekday - 1] }

    /// `+01:00`; with seconds if the offset has them.
    static func offset(_ seconds: Int64) -> String {
        let size = Int(seconds.magnitude)
        let text = "\(seconds < 0 ? "-" : "+")\(two(size / 3600)):\(two(size / 60 % 60))"
        return size % 60 == 0 ? text : "\(text):\(two(size % 60))"
    }

    private static func clock(_ instant: Instant, offset: Int) -> String {
        let text = (instant + Int64(offset)).rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast())"
    }

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

enum KindText {
    /// `check-ins`, `messages`, `reminders`; `others` of another version.
    static func plural(_ kind: String) -> String {
        NudgeKind(rawValue: kind).map { $0.rawValue.replacing("_", with: "-") + "s" } ?? "others"
    }

    static func title(_ kind: String) -> String {
        let text = plural(kind)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
