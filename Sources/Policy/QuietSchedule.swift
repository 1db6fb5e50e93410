import NudgedPreferences
import TimeZones

struct QuietWeek: CustomStringConvertible {
    /// Those of each weekday without an entry. nil: none.
    let general: QuietHours?
    /// By weekday. Equal start and end: none begin on that day.
    let byDay: [Int: QuietHours]

    /// nil: there are none on any day.
    init?(_ general: QuietHours?, byDay: [Int: QuietHours]) {
        self.general = general.flatMap { $0.isNone ? nil : $0 }
        self.byDay = byDay
        guard self.general != nil && byDay.count < 7 || byDay.values.contains(where: { !$0.isNone }) else { return nil }
    }

    /// Those that begin on a date. nil: none.
    func hours(on date: LocalDate) -> QuietHours? {
        guard let hours = byDay[date.isoWeekday] else { return general }
        return hours.isNone ? nil : hours
    }

    var description: String {
        let days = byDay.sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value.isNone ? "none" : "\($0.value)")" }
        return (general?.description ?? "none") + days.joined()
    }
}

/// The quiet hours in a zone: for each local date D at most one interval [from, until).
struct QuietSchedule {
    let clock: LocalClock
    let hours: QuietWeek
    /// The user's quiet jitter, 0 to 14,399 seconds: so not all users are nudged in the same second.
    let jitter: Int64
    private let isSameEachDay: Bool
    // Of the general quiet hours.
    private let start: Int64
    private let end: Int64

    init(_ hours: QuietWeek, _ clock: LocalClock, jitter: Int64) {
        (self.clock, self.hours, self.jitter) = (clock, hours, jitter)
        isSameEachDay = hours.byDay.isEmpty
        start = hours.general?.start.seconds ?? 0
        end = hours.general?.end.seconds ?? 0
    }

    @inline(__always)
    func isQuiet(_ instant: Instant) -> Bool { quietEnd(instant) != instant }

    /// The first instant from this one on that is not quiet.
    @inline(__always)
    func quietEnd(_ instant: Instant) -> Instant {
        guard isSameEachDay, let offset = clock.steadyOffset(around: instant) else { return quietEndByDate(instant) }
        // All days are equal, and no interval touches the next.
        let second = Self.secondOfDay(instant.seconds + offset)
        if start < end { return start <= second && second < end ? instant + (end - second) : instant }
        if second >= start { return instant + (86_400 - second + end) }
        return second < end ? instant + (end - second) : instant
    }

    /// The first start of an interval after an instant that is not quiet.
    @inline(__always)
    func nextStart(after instant: Instant) -> Instant {
        guard isSameEachDay, let offset = clock.steadyOffset(around: instant) else {
            return nextStartByDate(after: instant)
        }
        let second = Self.secondOfDay(instant.seconds + offset)
        return instant + (start > second ? start - second : 86_400 - second + start)
    }

    /// `wakeUp` of docs/POLICY-SPEC.md: the end of quiet hours plus jitter. Without jitter if that would be quiet, or
    /// not before the limit.
    func wakeUp(from instant: Instant, limit: Instant?) -> Instant {
        let end = quietEnd(instant)
        guard jitter > 0 else { return end }
        let late = end + jitter
        if let limit, late >= limit { return end }
        return isQuiet(late) ? end : late
    }

    func firstQuiet(from instant: Instant) -> Instant { isQuiet(instant) ? instant : nextStart(after: instant) }

    @inline(__always)
    private static func secondOfDay(_ local: Int64) -> Int64 {
        let second = local % 86_400
        return second < 0 ? second + 86_400 : second
    }

    /// The interval of a date. nil: there is none, or a gap makes it empty.
    private func interval(_ date: LocalDate) -> (start: Instant, end: Instant)? {
        guard let hours = hours.hours(on: date) else { return nil }
        let (first, last) = (hours.start.seconds, hours.end.seconds)
        let start = clock.resolve(date, first, .first)
        let end = clock.resolve(first < last ? date : date + 1, last, .last)
        return start < end ? (start, end) : nil
    }

    /// A zone can skip a whole day (Pacific/Apia, 2011-12-30), so intervals of dates this far away can contain an
    /// instant.
    private static let reach = -4...4

    private func quietEndByDate(_ instant: Instant) -> Instant {
        var end = instant
        while true {
            // An interval can touch or overlap the next. Repeat until none contains the end.
            let date = clock.zone.localDate(at: end)
            let longer = Self.reach.lazy.compactMap { interval(date + $0) }.first { $0.start <= end && end < $0.end }
            guard let longer else { return end }
            end = longer.end
        }
    }

    private func nextStartByDate(after instant: Instant) -> Instant {
        let date = clock.zone.localDate(at: instant)
        // Starts rise with their dates, and no zone skips two days in a row. The bound is for wrong zone files.
        for days in -4...400 {
            if let start = interval(date + days)?.start, start > instant { return start }
        }
        return instant + 86_400
    }
}

/// A zone's clock. Far from transitions, local time is computed with one addition.
struct LocalClock {
    let zone: Zone
    /// The segment that contains `now`. Nearly all instants of a decision are in it.
    private let segment: Zone.Segment

    /// Nothing that is computed from an instant is farther away from it than this.
    private static let reach: Int64 = 3 * 86_400

    init(_ zone: Zone, near now: Instant) {
        (self.zone, segment) = (zone, zone.segment(at: now))
    }

    /// The offset that is valid from three days before an instant to three days after it. nil: a transition is near.
    @inline(__always)
    func steadyOffset(around instant: Instant) -> Int64? {
        if Self.isSteady(segment, around: instant) { return segment.offset }
        return steadyOffsetElsewhere(instant)
    }

    private func steadyOffsetElsewhere(_ instant: Instant) -> Int64? {
        let other = zone.segment(at: instant)
        return Self.isSteady(other, around: instant) ? other.offset : nil
    }

    @inline(__always)
    private static func isSteady(_ segment: Zone.Segment, around instant: Instant) -> Bool {
        segment.from <= instant - reach && instant + reach < segment.until
    }

    /// Like `Zone.resolve`, with seconds after midnight.
    @inline(__always)
    func resolve(_ date: LocalDate, _ seconds: Int64, _ which: Zone.Which) -> Instant {
        let local = Int64(date.days) * 86_400 + seconds
        if let offset = steadyOffset(around: Instant(seconds: local)) { return Instant(seconds: local - offset) }
        return zone.resolve(date, secondOfDay: Int(seconds), which)
    }

    @inline(__always)
    func localDate(at instant: Instant) -> LocalDate {
        guard let offset = steadyOffset(around: instant) else { return zone.localDate(at: instant) }
        let local = instant.seconds + offset
        return LocalDate(days: Int32(clamping: (local >= 0 ? local : local - 86_399) / 86_400))
    }
}
