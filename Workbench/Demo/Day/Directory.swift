import TimeZones

/// Finds people by token.
struct Directory: Sendable {
    let recipients: [DemoRecipient]
    private let byToken: [String: Int]
    let start: Instant

    init(_ population: DemoPopulation, zones: ZoneDatabase, start: Instant) {
        self.start = start
        recipients = population.people.map { person in
            DemoRecipient(person: person, zone: person.zone.flatMap { try? zones.zone(named: $0) })
        }
        var byToken: [String: Int] = [:]
        for (index, person) in population.people.enumerated() {
            for device in person.devices { byToken[device.token] = index }
        }
        self.byToken = byToken
    }

    func recipient(of token: String) -> DemoRecipient? { byToken[token].map { recipients[$0] } }

    /// The instant this many minutes after the day's start.
    func instant(_ minute: Int) -> Instant { start + Int64(minute) * 60 }

    /// Counts people who can get check-ins and still have one of these tokens: those in quiet hours and the others.
    func status(at minute: Int, tokensLeft: Set<String>) -> (waiting: Int, quiet: Int) {
        var waiting = 0
        var quiet = 0
        for recipient in recipients where recipient.person.isServed && recipient.zone != nil {
            guard recipient.person.devices.contains(where: { tokensLeft.contains($0.token) }) else { continue }
            if recipient.isAsleep(at: instant(minute), minute: minute) { quiet += 1 } else { waiting += 1 }
        }
        return (waiting, quiet)
    }
}
