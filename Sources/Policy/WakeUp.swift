import TimeZones

/// The quiet hours of a user with their quiet jitter: when to send what waits for their end.
struct WakeUp {
    let quiet: QuietSchedule
    /// 0 to 14,399 seconds, so that users are not all nudged in the same second.
    let jitter: Int64

    /// `wakeUp` of docs/POLICY.md: the end of quiet hours plus jitter. Without jitter if that would be quiet, or not
    /// before the limit.
    func instant(from instant: Instant, limit: Instant?) -> Instant {
        let end = quiet.quietEnd(instant)
        guard jitter > 0 else { return end }
        let late = end + jitter
        if let limit, late >= limit { return end }
        return quiet.isQuiet(late) ? end : late
    }
}
