import TimeZones

/// When a user's check-ins fall due, and which of them the frequency allows: everything about a local date D.
struct CheckInCalendar {
    let clock: LocalClock
    let wakeUp: WakeUp?
    /// Second of the local day of the slot.
    let time: Int64
    /// Seconds after that time, for users who chose none.
    let spread: Int64
    let staleness: Int64
    let since: Instant?
    let closed: ClosedSlots
    let pace: Pace

    /// The slot of a date.
    @inline(__always)
    func slot(_ date: LocalDate) -> Instant { clock.resolve(date, time, .first) + spread }

    /// e(D): when the check-in of a date may first be sent.
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

    /// How far e can run backwards from one date to the next: the ends of quiet ascend with the dates, the jitter stands on top of them or not.
    private var inversion: Int64 { wakeUp?.jitter ?? 0 }

    /// A date whose slot, and every later one's, is after the instant. Local dates can run backwards at a transition, but not two days.
    func dateAfter(_ instant: Instant) -> LocalDate {
        let isSteady = clock.steadyOffset(around: instant) != nil
        return clock.localDate(at: instant) + (isSteady ? 1 : 3)
    }

    /// The dates with `after` < limit(D) and e(D) <= now, latest first, until the visitor has enough.
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

    /// The smallest e(D) > now with D open and ok.
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
            // Behind every date of the input all of these hold for some day of each week, so the search ends.
            date = date + 1
        }
    }

    /// No earlier date can be the next.
    private func firstCandidate(after now: Instant) -> LocalDate {
        var date = dateAfter(now)
        while earliest(date - 1) + inversion > now { date = date - 1 }
        if let earliestSlot = pace.earliestSlot { date = max(date, earliestSlot) }
        // e(D) is at most spread, quiet hours over a transition and jitter after the date: less than six days.
        if let since { date = max(date, clock.localDate(at: since) - 6) }
        return date
    }
}

extension Instant {
    static let distantFuture = Instant(seconds: .max)
}
