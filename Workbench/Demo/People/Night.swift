/// Quiet hours as the demo reads them, by itself: wall-clock minutes of the day, `start` inclusive, `end` exclusive; equal: none.
struct Night: Sendable, Equatable {
    let start: Int
    let end: Int

    /// Those of people who set none (docs/POLICY.md's default rule).
    static let usual = Night(start: 22 * 60, end: 8 * 60)

    /// Whether a minute of the local day is quiet.
    func holds(minute: Int) -> Bool {
        start <= end ? minute >= start && minute < end : minute >= start || minute < end
    }
}
