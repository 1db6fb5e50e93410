import Core
import TimeZones

extension ZoneOffset {
    /// The UTC offsets of all zones on disk between two instants. A zone without a change of clocks has one stretch,
    /// others have more.
    static func all(of zones: ZoneDatabase, from: Instant, until: Instant) throws(TimeZoneError) -> [ZoneOffset] {
        var offsets: [ZoneOffset] = []
        for name in zones.names {
            guard let zone = try zones.zone(named: name) else { continue }
            offsets += stretches(of: zone, from: from, until: until)
        }
        return offsets
    }

    /// The offsets of one zone, without gaps.
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
            // A stretch can't end where it begins. The check stops an endless loop if a broken file says so.
            guard end > start else { break }
            start = end
        }
        return stretches
    }
}
