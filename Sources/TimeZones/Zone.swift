/// A time zone of the system's database. Offsets are found by binary search, after the last transition by the footer's
/// rule.
public final class Zone: Sendable {
    /// The name it was requested with, such as `Europe/Berlin`.
    public let name: String

    private let transitions: [Int64]
    private let offsets: [Int32]
    private let initialOffset: Int32
    private let rule: PosixRule?

    /// A span of time with one offset.
    public struct Segment: Sendable, Equatable {
        /// Seconds east of UTC.
        public let offset: Int64
        /// The first instant of the span.
        public let from: Instant
        /// The first instant after the span.
        public let until: Instant
    }

    /// In an overlap a wall time has two instants. This selects one of them.
    public enum Which: Sendable {
        case first
        case last
    }

    /// Reads a zone from the bytes of a TZif file (RFC 9636, any version).
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

    /// The offset at an instant with the span in which it holds. Neighbouring spans can have the same offset.
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

    /// The local date and the second of that day (0 to 86,399) at an instant.
    public func localTime(at instant: Instant) -> (date: LocalDate, secondOfDay: Int) {
        let local = instant.clamped + segment(at: instant).offset
        let date = LocalDate(flooring: local)
        return (date, Int(min(max(local - Int64(date.days) * 86_400, 0), 86_399)))
    }

    /// The transitions of the file itself, for tests.
    public var fileTransitions: [Instant] { transitions.map { Instant(seconds: $0) } }
}
