extension Zone {
    /// The instant at which a wall time occurs: in a gap the instant of the transition, in an overlap the asked one.
    ///
    /// - Parameter secondOfDay: seconds after midnight by the wall clock; 86,400 and more lie on the days after.
    public func resolve(_ date: LocalDate, secondOfDay: Int, _ which: Which) -> Instant {
        let day = Int64(date.days) * 86_400
        let local = min(
            max(day.addingReportingOverflow(Int64(secondOfDay)).partialValue, -Instant.reach),
            Instant.reach
        )
        // No offset is as large as this (TZifFile checks), so an instant that shows this wall time lies within it.
        let reach: Int64 = 27 * 3600
        let segment = segment(at: Instant(seconds: local))
        if segment.from.seconds < local - 2 * reach, segment.until.seconds > local + 2 * reach {
            return Instant(seconds: local - segment.offset)
        }
        return resolveNearTransition(local: local, reach: reach, which)
    }

    /// Walks the stretches around a wall time.
    private func resolveNearTransition(local: Int64, reach: Int64, _ which: Which) -> Instant {
        var segment = segment(at: Instant(seconds: local - reach))
        var found: Instant?
        var gap: Instant?
        while true {
            let candidate = Instant(seconds: local - segment.offset)
            if segment.from <= candidate, candidate < segment.until {
                found = candidate
                if which == .first { break }
            }
            let next = segment.until
            guard next.seconds <= local + reach else { break }
            let following = self.segment(at: next)
            // Before the transition the clock has not come to this time, after it it has passed it.
            if gap == nil, candidate >= next, local - following.offset < next.seconds { gap = next }
            // A stretch ends after it starts; were that ever untrue, this must still end.
            guard following.until > next else { break }
            segment = following
        }
        return found ?? gap ?? Instant(seconds: local - segment.offset)
    }
}
