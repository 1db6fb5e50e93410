/// A zone of the system's database: offsets by binary search, and after the last transition by the footer's rule.
public final class Zone: Sendable {
    /// The name it was requested with, such as `Europe/Berlin`.
    public let name: String

    private let file: TZifFile

    public struct Segment: Sendable, Equatable {
        /// Seconds east of UTC.
        public let offset: Int64
        public let from: Instant
        /// The first instant after the span.
        public let until: Instant

        fileprivate init(_ offset: some BinaryInteger, _ from: Int64, _ until: Int64) {
            (self.offset, self.from, self.until) = (Int64(offset), Instant(seconds: from), Instant(seconds: until))
        }
    }

    /// In an overlap a wall time has two instants. This selects one of them.
    public enum Which: Sendable {
        case first
        case last
    }

    /// Reads a zone from the bytes of a TZif file (RFC 9636, any version). Nil: they are none.
    public init?(name: String, parsing bytes: [UInt8]) {
        guard let file = try? TZifFile(parsing: bytes) else { return nil }
        (self.name, self.file) = (name, file)
    }

    init(utc name: String) { (self.name, file) = (name, TZifFile()) }

    /// Seconds east of UTC at an instant.
    public func offset(at instant: Instant) -> Int { Int(segment(at: instant).offset) }

    /// The offset at an instant with the span in which it holds. Neighbouring spans can have the same offset.
    public func segment(at instant: Instant) -> Segment {
        let (seconds, transitions) = (instant.clamped, file.transitions)
        // The first transition after the instant.
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        let from = low > 0 ? transitions[low - 1] : .min
        if low < transitions.count {
            return Segment(low > 0 ? file.offsets[low - 1] : file.initialOffset, from, transitions[low])
        }
        guard let rule = file.rule else { return Segment(file.offsets.last ?? file.initialOffset, from, .max) }
        let ruled = rule.segment(at: seconds)
        return Segment(ruled.offset, max(from, ruled.from), ruled.until)
    }

    public func localDate(at instant: Instant) -> LocalDate { localTime(at: instant).date }

    public func localTime(at instant: Instant) -> LocalDateTime {
        LocalDateTime(asUTC: Instant(seconds: instant.clamped + segment(at: instant).offset))
    }

    /// The transitions of the file itself, for tests.
    public var fileTransitions: [Instant] { file.transitions.map { Instant(seconds: $0) } }
}

extension Zone {
    public func resolve(_ time: LocalDateTime, _ which: Which) -> Instant {
        resolve(time.date, secondOfDay: time.secondOfDay, which)
    }

    /// The instant of a wall time. In a gap it is the instant of the transition, in an overlap `which` decides.
    ///
    /// - Parameter secondOfDay: Seconds after midnight of the wall clock. 86,400 and more are on later days.
    public func resolve(_ date: LocalDate, secondOfDay: Int, _ which: Which) -> Instant {
        let local = (Instant(seconds: Int64(date.days) * 86_400) + Int64(secondOfDay)).clamped
        // Every offset is smaller (`TZifFile` checks), so an instant with this wall time is within this distance.
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
