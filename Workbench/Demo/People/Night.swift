/// Quiet hours as the demo reads them: local minutes of the day, `start` inclusive, `end` exclusive. Equal means none.
struct Night: Sendable, Equatable {
    let start: Int
    let end: Int

    /// For people who set none (the default rule in docs/POLICY.md).
    static let usual = Night(start: 22 * 60, end: 8 * 60)

    /// Whether a minute of the local day is quiet.
    func holds(minute: Int) -> Bool {
        start <= end ? minute >= start && minute < end : minute >= start || minute < end
    }
}
