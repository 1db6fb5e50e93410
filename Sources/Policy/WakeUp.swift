import TimeZones

/// Quiet hours in force with the user's jitter: when what waits for their end is sent.
struct WakeUp {
    let quiet: QuietSchedule
    /// Seconds, 0 to 14,399: so that not all who slept are nudged in one second.
    let jitter: Int64

    /// The end of quiet plus jitter, but the end itself where the jitter would lead into quiet again or to the limit.
    func instant(from instant: Instant, limit: Instant?) -> Instant {
        let end = quiet.quietEnd(instant)
        guard jitter > 0 else { return end }
        let late = end + jitter
        if let limit, late >= limit { return end }
        return quiet.isQuiet(late) ? end : late
    }
}
