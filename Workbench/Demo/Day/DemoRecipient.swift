import TimeZones

/// The person with a token, and their local time. The demo works it out itself, without policy and database.
struct DemoRecipient: Sendable {
    let person: DemoPerson
    /// nil if they named no existing zone.
    let zone: Zone?

    /// The minute of their local day; nil without a zone.
    func localMinute(at instant: Instant) -> Int? {
        zone.map { $0.localTime(at: instant).secondOfDay / 60 }
    }

    /// Whether they are in their own quiet hours. Someone without a zone counts as asleep.
    func isAsleep(at instant: Instant, minute: Int) -> Bool {
        localMinute(at: instant).map { person.night(at: minute).holds(minute: $0) } ?? true
    }
}
