import TimeZones

/// Quiet hours as they apply to one message or reminder.
struct AppliedQuiet {
    /// The instant from which on they apply; nil = never.
    let from: Instant?
    /// Nil where there is no zone to tell them by.
    let wakeUp: WakeUp?

    /// When something that becomes possible at an instant can be sent.
    func awake(_ instant: Instant, limit: Instant?) -> Instant {
        guard let from, instant >= from, let wakeUp, wakeUp.quiet.isQuiet(instant) else { return instant }
        return wakeUp.instant(from: instant, limit: limit)
    }

    /// The first quiet instant after now, which is not quiet or to which they do not apply yet; nil where none comes.
    ///
    /// Without a zone the answer changes when they begin to apply: from then on the nudge is held.
    func nextStart(after now: Instant) -> Instant? {
        guard let from else { return nil }
        guard let wakeUp else { return from > now ? from : nil }
        return from > now ? wakeUp.quiet.firstQuiet(from: from) : wakeUp.quiet.nextStart(after: now)
    }
}
