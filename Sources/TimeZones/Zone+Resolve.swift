extension Zone {
    /// The instant of a wall time. In a gap it is the instant of the transition, in an overlap `which` decides.
    ///
    /// - Parameter secondOfDay: Seconds after midnight of the wall clock. 86,400 and more are on later days.
    public func resolve(_ date: LocalDate, secondOfDay: Int, _ which: Which) -> Instant {
        let day = Int64(date.days) * 86_400
        let local = min(
            max(day.addingReportingOverflow(Int64(secondOfDay)).partialValue, -Instant.reach),
            Instant.reach
        )
        // Every offset is smaller than this (`TZifFile` checks), so an instant with this wall time is within this
        // distance.
        let reach: Int64 = 27 * 3600
        let segment = segment(at: Instant(seconds: local))
        if segment.from.seconds < local - 2 * reach, segment.until.seconds > local + 2 * reach {
            return Instant(seconds: local - segment.offset)
        }
        return resolveNearTransition(local: local, reach: reach, which)
    }

    /// Checks each segment around a wall time.
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
            // Before the transition the clock hasn't reached this time, and after it the clock is past it.
            if gap == nil, candidate >= next, local - following.offset < next.seconds { gap = next }
            // A segment always ends after its start. If that were ever wrong, the loop must still end.
            guard following.until > next else { break }
            segment = following
        }
        return found ?? gap ?? Instant(seconds: local - segment.offset)
    }
}
