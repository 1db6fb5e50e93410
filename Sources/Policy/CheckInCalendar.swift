import NudgedPreferences
import TimeZones

/// When a user's check-ins are due, and which the frequency allows. docs/POLICY-SPEC.md, "Check-ins", has
/// the terms of a local date D.
struct CheckInCalendar {
    let clock: LocalClock
    let quiet: QuietSchedule?
    /// Seconds after local midnight of the slot.
    let time: Int64
    /// The slot jitter in seconds, for users who chose no time.
    let spread: Int64
    let staleness: Int64
    let since: Instant?
    let closed: ClosedSlots
    let pace: Pace

    /// A date, and the earliest instant to send its check-in.
    typealias Slot = (date: LocalDate, earliest: Instant)

    /// slot(D)
    @inline(__always)
    func slot(_ date: LocalDate) -> Instant { clock.resolve(date, time, .first) + spread }

    /// e(D): the earliest instant to send the check-in of a date.
    @inline(__always)
    func earliest(_ date: LocalDate) -> Instant {
        let slot = slot(date)
        guard let quiet, quiet.isQuiet(slot) else { return slot }
        return quiet.wakeUp(from: slot, limit: nil)
    }

    func limit(_ earliest: Instant) -> Instant { earliest + staleness }

    func isOpen(_ date: LocalDate, _ earliest: Instant) -> Bool {
        if let since, earliest < since { return false }
        return !closed.contains(date)
    }

    /// By how many seconds e(D + 1) can be before e(D). The ends of quiet hours rise with the dates, but the jitter may
    /// be added to one and not to the next.
    private var inversion: Int64 { quiet?.jitter ?? 0 }

    /// A date whose slot is after the instant, like every later date's. Local dates can run backwards at a transition,
    /// but not by two days.
    func dateAfter(_ instant: Instant) -> LocalDate {
        let isSteady = clock.steadyOffset(around: instant) != nil
        return clock.localDate(at: instant) + (isSteady ? 1 : 3)
    }

    /// Visits the dates with `after` < limit(D) and e(D) <= `now`, the latest first, until the visitor returns true.
    @inline(__always)
    func visit(limitAfter after: Instant, now: Instant, _ visitor: (LocalDate, Instant) -> Bool) {
        var date = dateAfter(now)
        while true {
            let earliest = earliest(date)
            let limit = limit(earliest)
            if earliest <= now, limit > after, visitor(date, earliest) { return }
            if limit + inversion <= after { return }
            date = date - 1
        }
    }

    /// The smallest e(D) > `now` of all D that are open and ok.
    func next(after now: Instant) -> Slot {
        var date = firstCandidate(after: now)
        var best: Slot?
        while true {
            if let best, inversion == 0 || slot(date) >= best.earliest { return best }
            if pace.allows(date), !closed.contains(date) {
                let earliest = earliest(date)
                let isNearest = best.map { earliest < $0.earliest } ?? true
                if isNearest, earliest > now, isOpen(date, earliest), pace.allows(earliest) { best = (date, earliest) }
            }
            // After the last date of the input, all conditions hold for some day of each week, so the search ends.
            date = date + 1
        }
    }

    /// The first date that can be the next one.
    private func firstCandidate(after now: Instant) -> LocalDate {
        var date = dateAfter(now)
        while earliest(date - 1) + inversion > now { date = date - 1 }
        if let earliestSlot = pace.earliestSlot { date = max(date, earliestSlot) }
        // e(D) is less than 12 days after D: time and jitter of the slot, quiet hours by day that overlap for up to a
        // week, quiet jitter, a transition.
        if let since { date = max(date, clock.localDate(at: since) - 12) }
        return date
    }
}

/// Which dates and instants the frequency allows after a user's check-ins. Together they are ok(D) of
/// docs/POLICY-SPEC.md, "Check-ins".
struct Pace {
    let frequency: Frequency
    /// ISO weekday of the weekly anchor.
    let anchor: Int
    /// The latest slot, and the latest instant. Check-ins more than 48 h ahead are ignored.
    private(set) var lastSlot: LocalDate?
    private(set) var lastAt: Instant?
    private let checkIns: [CheckIn]
    private let horizon: Instant

    init(_ frequency: Frequency, anchor: Int, _ checkIns: [CheckIn], now: Instant) {
        (self.frequency, self.anchor, self.checkIns) = (frequency, anchor, checkIns)
        horizon = now + History.horizon
        for checkIn in checkIns where checkIn.at <= horizon {
            lastSlot = max(lastSlot ?? checkIn.slot, checkIn.slot)
            lastAt = max(lastAt ?? checkIn.at, checkIn.at)
        }
    }

    /// The least days between slots, and seconds between instants.
    private var gap: (days: Int, seconds: Int64) {
        switch frequency {
        case .daily: (1, 12 * 3600)
        case .fewTimesAWeek: (2, 36 * 3600)
        case .weekly: (4, 0)
        }
    }

    /// No earlier slot is allowed. nil: any slot is.
    var earliestSlot: LocalDate? { lastSlot.map { $0 + gap.days } }

    /// Whether the conditions about dates allow D.
    @inline(__always)
    func allows(_ date: LocalDate) -> Bool {
        if let earliestSlot, date < earliestSlot { return false }
        switch frequency {
        case .daily: return true
        case .fewTimesAWeek: return count(from: date - 6, through: date) < 3
        case .weekly:
            let sinceAnchor = (date.isoWeekday - anchor + 7) % 7
            return sinceAnchor <= 2 && lastSlot.map { $0 < date - sinceAnchor } ?? true
        }
    }

    /// Whether the conditions about instants allow e(D).
    @inline(__always)
    func allows(_ earliest: Instant) -> Bool {
        guard frequency != .weekly, let lastAt else { return true }
        return earliest - lastAt >= gap.seconds
    }

    /// Check-ins with a slot in a range of dates.
    func count(from first: LocalDate, through last: LocalDate) -> Int {
        checkIns.count { $0.at <= horizon && $0.slot >= first && $0.slot <= last }
    }
}

/// Slots that ended without counting. Only where there are many, a set pays.
struct ClosedSlots {
    private let few: [LocalDate]
    private let many: Set<LocalDate>

    init(_ closed: [LocalDate]) {
        few = closed.count > 16 ? [] : closed
        many = closed.count > 16 ? Set(closed) : []
    }

    func contains(_ date: LocalDate) -> Bool { few.contains(date) || many.contains(date) }
}
