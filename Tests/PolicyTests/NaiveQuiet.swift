import Policy
import TimeZones

/// Whether an instant is quiet, computed second by second from offsets alone: no resolve, no interval arithmetic.
///
/// An interval of D begins at the first second whose wall reads start or later on D, and ends at the last second whose wall comes to the end.
struct NaiveQuiet {
    let zone: Zone
    let start: Int
    let end: Int

    /// Plain days only: nil within two days of a transition, where the wall alone does not tell the interval.
    func isQuiet(_ instant: Instant) -> Bool? {
        let offset = zone.offset(at: instant)
        for hours in stride(from: Int64(-48), through: 48, by: 6)
        where zone.offset(at: instant + hours * 3600) != offset { return nil }
        let second = Int((instant.seconds + Int64(offset)) % 86_400)
        let minute = second / 60
        return start < end ? start <= minute && minute < end : minute >= start || minute < end
    }

    /// By the page, near transitions too: walks the seconds around for the wall times of each date.
    func isQuietNearTransition(_ instant: Instant) -> Bool {
        let middle = zone.localDate(at: instant)
        return (-3...2).contains { days in
            let date = middle + days
            let last = start < end ? date : date + 1
            guard let from = walk(date, start, takesLast: false), let until = walk(last, end, takesLast: true) else {
                return false
            }
            return from <= instant && instant < until
        }
    }

    /// Every minute from 27 hours before to 27 hours after: where the wall shows the time, else where it jumps over it.
    private func walk(_ date: LocalDate, _ minute: Int, takesLast: Bool) -> Instant? {
        let wall = Int64(date.days) * 86_400 + Int64(minute) * 60
        var shown: Instant?
        var jumped: Instant?
        for step in -27 * 60...27 * 60 {
            let instant = Instant(seconds: wall + Int64(step) * 60)
            let local = instant.seconds + Int64(zone.offset(at: instant))
            if local == wall, takesLast || shown == nil { shown = instant }
            let before = instant.seconds - 60 + Int64(zone.offset(at: instant - 60))
            if jumped == nil, before < wall, local > wall { jumped = instant }
        }
        return shown ?? jumped
    }
}
