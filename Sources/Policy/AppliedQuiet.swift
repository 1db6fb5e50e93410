import TimeZones

/// Quiet hours as they apply to one message or reminder.
struct AppliedQuiet {
    /// Quiet hours apply from this instant on. nil: never.
    let from: Instant?
    /// nil: the user has no valid zone.
    let wakeUp: WakeUp?

    /// When something that becomes possible at `instant` can be sent.
    func awake(_ instant: Instant, limit: Instant?) -> Instant {
        guard let from, instant >= from, let wakeUp, wakeUp.quiet.isQuiet(instant) else { return instant }
        return wakeUp.instant(from: instant, limit: limit)
    }

    /// The first quiet instant after `now`, which is not quiet or before `from`. nil: there is none.
    ///
    /// Without a zone it is `from`: from then on the nudge is held.
    func nextStart(after now: Instant) -> Instant? {
        guard let from else { return nil }
        guard let wakeUp else { return from > now ? from : nil }
        return from > now ? wakeUp.quiet.firstQuiet(from: from) : wakeUp.quiet.nextStart(after: now)
    }
}
