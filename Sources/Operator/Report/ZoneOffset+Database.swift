import Store
import TimeZones

extension ZoneOffset {
    /// The offsets of every zone on disk between two instants. A zone whose offset stays is one stretch; one that changes its clocks has two, a rare one more.
    static func all(of zones: ZoneDatabase, from: Instant, until: Instant) throws(TimeZoneError) -> [ZoneOffset] {
        var offsets: [ZoneOffset] = []
        for name in zones.names {
            guard let zone = try zones.zone(named: name) else { continue }
            offsets += stretches(of: zone, from: from, until: until)
        }
        return offsets
    }

    /// Of one zone, without gaps.
    static func stretches(of zone: Zone, from: Instant, until: Instant) -> [ZoneOffset] {
        var stretches: [ZoneOffset] = []
        var start = from
        while start < until {
            let segment = zone.segment(at: start)
            let end = min(segment.until, until)
            if let last = stretches.last, last.seconds == Int32(clamping: segment.offset) {
                stretches[stretches.count - 1].until = end
            } else {
                stretches.append(
                    ZoneOffset(name: zone.name, from: start, until: end, seconds: Int32(clamping: segment.offset))
                )
            }
            // A file can't say that a stretch ends where it begins; one that did must not hold us up.
            guard end > start else { break }
            start = end
        }
        return stretches
    }
}
