import TimeZones

/// When a user's check-ins are due, and which the frequency allows. For the terms of a local date D see docs/POLICY.md,
/// "Check-ins".
struct CheckInCalendar {
    let clock: LocalClock
    let wakeUp: WakeUp?
    /// Seconds after local midnight of the slot.
    let time: Int64
    /// The slot jitter in seconds, for users who chose no time.
    let spread: Int64
    let staleness: Int64
    let since: Instant?
    let closed: ClosedSlots
    let pace: Pace

    /// slot(D)
    @inline(__always)
    func slot(_ date: LocalDate) -> Instant { clock.resolve(date, time, .first) + spread }

    /// e(D): the earliest instant to send the check-in of a date.
    @inline(__always)
    func earliest(_ date: LocalDate) -> Instant {
        let slot = slot(date)
        guard let wakeUp, wakeUp.quiet.isQuiet(slot) else { return slot }
        return wakeUp.instant(from: slot, limit: nil)
    }

    func limit(_ earliest: Instant) -> Instant { earliest + staleness }

    func isOpen(_ date: LocalDate, _ earliest: Instant) -> Bool {
        if let since, earliest < since { return false }
        return !closed.contains(date)
    }

    /// By how many seconds e(D + 1) can be before e(D). The ends of quiet hours rise with the dates, but the jitter may
    /// be added to one and not to the next.
    private var inversion: Int64 { wakeUp?.jitter ?? 0 }

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
    func next(after now: Instant) -> (earliest: Instant, date: LocalDate) {
        var date = firstCandidate(after: now)
        var best: (earliest: Instant, date: LocalDate)?
        while true {
            if let best, inversion == 0 || slot(date) >= best.earliest { return best }
            if pace.allows(date), !closed.contains(date) {
                let earliest = earliest(date)
                if earliest > now, isOpen(date, earliest), pace.allows(earliest),
                    earliest < best?.earliest ?? .distantFuture
                {
                    best = (earliest, date)
                }
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
        // e(D) is less than six days after D: jitter of the slot, quiet hours over a transition, quiet jitter.
        if let since { date = max(date, clock.localDate(at: since) - 6) }
        return date
    }
}

extension Instant {
    static let distantFuture = Instant(seconds: .max)
}
