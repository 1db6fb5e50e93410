public import TimeZones

extension Recurrence {
    /// The next occurrence in a zone whose instant lies after another; nil: there is none. What lies before is passed over, and counts for COUNT: whoever
    /// was not there for a week is not told seven times.
    ///
    /// A wall time in a gap comes at the transition, one in an overlap at the first of its instants.
    ///
    /// - Parameters:
    ///   - occurrence: the last one.
    ///   - start: the wall time of the first one.
    ///   - instant: the last one's instant, or now, whichever is later.
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
