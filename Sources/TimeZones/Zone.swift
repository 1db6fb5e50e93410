/// A time zone of the system's database as a value: offsets by binary search, the footer's rule after the last transition.
public final class Zone: Sendable {
    /// The name it was asked by, such as `Europe/Berlin`.
    public let name: String

    private let transitions: [Int64]
    private let offsets: [Int32]
    private let initialOffset: Int32
    private let rule: PosixRule?

    /// A stretch of time in which one offset holds.
    public struct Segment: Sendable, Equatable {
        /// Seconds east of UTC.
        public let offset: Int64
        /// The stretch's first instant.
        public let from: Instant
        /// The first instant after it.
        public let until: Instant
    }

    /// Which of the two instants of a wall time that an overlap holds twice.
    public enum Which: Sendable {
        /// The earlier.
        case first
        /// The later.
        case last
    }

    /// Reads a zone off the bytes of a TZif file (RFC 9636, any version).
    public init(name: String, parsing bytes: [UInt8]) throws(TimeZoneError) {
        let file = try TZifFile(parsing: bytes)
        self.name = name
        transitions = file.transitions
        offsets = file.offsets
        initialOffset = file.initialOffset
        rule = file.rule
    }

    /// UTC, without a file.
    init(utc name: String) {
        self.name = name
        transitions = []
        offsets = []
        initialOffset = 0
        rule = nil
    }

    /// Seconds east of UTC at an instant.
    public func offset(at instant: Instant) -> Int { Int(segment(at: instant).offset) }

    /// The offset at an instant with the stretch in which it holds. Neighbouring stretches can have the same offset.
    public func segment(at instant: Instant) -> Segment {
        let seconds = instant.clamped
        // The first transition after the instant.
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        let from = low > 0 ? transitions[low - 1] : .min
        if low < transitions.count {
            let offset = low > 0 ? offsets[low - 1] : initialOffset
            return Segment(
                offset: Int64(offset),
                from: Instant(seconds: from),
                until: Instant(seconds: transitions[low])
            )
        }
        guard let rule else {
            return Segment(
                offset: Int64(offsets.last ?? initialOffset),
                from: Instant(seconds: from),
                until: Instant(seconds: .max)
            )
        }
        let ruled = rule.segment(at: seconds)
        return Segment(
            offset: Int64(ruled.offset),
            from: Instant(seconds: max(from, ruled.from)),
            until: Instant(seconds: ruled.until)
        )
    }

    /// The local date at an instant.
    public func localDate(at instant: Instant) -> LocalDate { localTime(at: instant).date }

    /// The local date and the second of that day, 0 to 86,399, at an instant.
    public func localTime(at instant: Instant) -> (date: LocalDate, secondOfDay: Int) {
        let local = instant.clamped + segment(at: instant).offset
        let date = LocalDate(flooring: local)
        return (date, Int(min(max(local - Int64(date.days) * 86_400, 0), 86_399)))
    }

    /// The transitions of the file itself, for tests that compare readers.
    public var fileTransitions: [Instant] { transitions.map { Instant(seconds: $0) } }
}
