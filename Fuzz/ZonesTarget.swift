import TimeZones

/// Reads the input as a zone file. A file that is accepted must give consistent answers from 1900 to 2100.
enum ZonesTarget {
    /// 1900-01-01 and 2100-01-01.
    private static let span = (from: Int64(-2_208_988_800), to: Int64(4_102_444_800))

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let zone = Zone(name: "Fuzz/Zone", parsing: Array(input)) else { return 0 }
        let transitions = zone.fileTransitions
        require(zip(transitions, transitions.dropFirst()).allSatisfy { $0 < $1 }, "transitions don't ascend")
        // Every four months, and around the first and last 50 transitions.
        for seconds in stride(from: span.from, through: span.to, by: 2_629_746 * 4) { ask(zone, seconds) }
        for transition in transitions.prefix(50) + transitions.suffix(50) {
            for near in [-1, 0, 1] as [Int64] { ask(zone, (transition + near).seconds) }
        }
        for edge in [Int64.min, -1, 0, Int64.max] { ask(zone, edge) }
        return 0
    }

    private static func ask(_ zone: Zone, _ seconds: Int64) {
        let instant = Instant(seconds: seconds)
        let segment = zone.segment(at: instant)
        let isComputed = span.from <= seconds && seconds <= span.to
        if isComputed { require(segment.from <= instant && instant < segment.until, "\(seconds) outside its stretch") }
        let time = zone.localTime(at: instant)
        require((0...86_399).contains(time.secondOfDay), "second \(time.secondOfDay) of a day")
        for which in [Zone.Which.first, .last] {
            let resolved = zone.resolve(time, which)
            // This wall time occurs, so it resolves to an instant with the same wall time.
            guard isComputed else { continue }
            require(zone.localTime(at: resolved) == time, "\(seconds) is not found again")
            require(which == .first ? resolved <= instant : resolved >= instant, "\(seconds): not the first or last")
        }
        for second in [0, 43_200, 90_000] { _ = zone.resolve(time.date, secondOfDay: second, .first) }
    }
}
