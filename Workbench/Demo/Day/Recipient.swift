import TimeZones

/// Whose a token is, and what their clock says: the demo's own reading, which asks neither policy nor database.
struct Recipient: Sendable {
    let person: Person
    /// nil where they named none that exists.
    let zone: Zone?

    /// The minute of their local day.
    func localMinute(at instant: Instant) -> Int? {
        zone.map { $0.localTime(at: instant).secondOfDay / 60 }
    }

    /// Whether they are in their own quiet hours. Someone without a zone counts as asleep: nobody knows.
    func isAsleep(at instant: Instant, minute: Int) -> Bool {
        localMinute(at: instant).map { person.night(at: minute).holds(minute: $0) } ?? true
    }
}
