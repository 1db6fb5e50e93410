import TimeZones

/// A zone's clock. Far from transitions, local time is computed with one addition.
struct LocalClock {
    let zone: Zone
    /// The segment that contains `now`. Nearly all instants of a decision are in it.
    private let segment: Zone.Segment

    /// Nothing that is computed from an instant is farther away from it than this.
    private static let reach: Int64 = 3 * 86_400

    init(_ zone: Zone, near now: Instant) {
        self.zone = zone
        segment = zone.segment(at: now)
    }

    /// The offset that is valid from three days before an instant to three days after it. nil: a transition is near.
    @inline(__always)
    func steadyOffset(around instant: Instant) -> Int64? {
        if Self.isSteady(segment, around: instant) { return segment.offset }
        return steadyOffsetElsewhere(instant)
    }

    private func steadyOffsetElsewhere(_ instant: Instant) -> Int64? {
        let other = zone.segment(at: instant)
        return Self.isSteady(other, around: instant) ? other.offset : nil
    }

    @inline(__always)
    private static func isSteady(_ segment: Zone.Segment, around instant: Instant) -> Bool {
        segment.from <= instant - reach && instant + reach < segment.until
    }

    /// Like `Zone.resolve`, with seconds after midnight.
    @inline(__always)
    func resolve(_ date: LocalDate, _ seconds: Int64, _ which: Zone.Which) -> Instant {
        let local = Int64(date.days) * 86_400 + seconds
        if let offset = steadyOffset(around: Instant(seconds: local)) { return Instant(seconds: local - offset) }
        return zone.resolve(date, secondOfDay: Int(seconds), which)
    }

    @inline(__always)
    func localDate(at instant: Instant) -> LocalDate {
        guard let offset = steadyOffset(around: instant) else { return zone.localDate(at: instant) }
        let local = instant.seconds + offset
        return LocalDate(days: Int32(clamping: (local >= 0 ? local : local - 86_399) / 86_400))
    }
}
