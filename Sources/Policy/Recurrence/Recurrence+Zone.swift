public import TimeZones

extension Recurrence {
    /// The next occurrence in a zone after an instant. nil: none. Occurrences before the instant are skipped but count
    /// for COUNT, so a user who was away for a week gets one reminder, not seven.
    ///
    /// A wall time in a gap is due at the transition. A wall time in an overlap is due at its first instant.
    ///
    /// - Parameters:
    ///   - occurrence: the last one.
    ///   - start: the wall time of the first one.
    ///   - than: the last one's instant, or now, whichever is later.
    public func next(
        after occurrence: Occurrence,
        start: LocalDateTime,
        in zone: Zone,
        later than: Instant
    ) -> (occurrence: Occurrence, instant: Instant)? {
        var last = occurrence
        while let next = next(after: last, start: start) {
            let instant = zone.resolve(next.time, .first)
            if case .instant(let until) = end, instant > until { return nil }
            if instant > than { return (next, instant) }
            last = next
        }
        return nil
    }
}
