import Seeded
import TimeZones

struct Directory: Sendable {
    let recipients: [DemoRecipient]
    private let byToken: [String: Int]
    let start: Instant

    init(_ population: DemoPopulation, zones: ZoneDatabase, start: Instant) {
        self.start = start
        recipients = population.people.map { person in
            DemoRecipient(person: person, zone: person.zone.flatMap { try? zones.zone(named: $0) }, start: start)
        }
        byToken = population.people.enumerated().reduce(into: [:]) { byToken, one in
            for token in one.element.tokens { byToken[token] = one.offset }
        }
    }

    func recipient(of token: String) -> DemoRecipient? { byToken[token].map { recipients[$0] } }

    func instant(_ minute: Int) -> Instant { start + Int64(minute) * 60 }

    /// Counts people who can get check-ins and still have one of these tokens: those in quiet hours and the others.
    func status(at minute: Int, tokensLeft: Set<String>) -> (waiting: Int, quiet: Int) {
        let left = recipients.filter { recipient in
            recipient.waits && recipient.person.devices.contains { tokensLeft.contains($0.token) }
        }
        let quiet = left.count { $0.isAsleep(at: minute) }
        return (left.count - quiet, quiet)
    }
}

/// The person with a token, and their local time. The demo works it out itself, without policy and database.
struct DemoRecipient: Sendable {
    let person: DemoPerson
    let zone: Zone?
    /// Minutes are counted from the day's start.
    let start: Instant

    /// Whether they can get check-ins.
    var waits: Bool { person.isServed && zone != nil }

    func localMinute(at minute: Int) -> Int? {
        zone.map { $0.localTime(at: start + Int64(minute) * 60).secondOfDay / 60 }
    }

    /// Whether they are in their own quiet hours. Someone without a zone counts as asleep.
    func isAsleep(at minute: Int) -> Bool {
        localMinute(at: minute).map { person.night(at: minute).holds(minute: $0) } ?? true
    }
}

/// Pushes with a text by the recipients' local hour, and how many people are in their quiet hours then.
struct LocalHours: Sendable {
    private(set) var sends = [Int](repeating: 0, count: 24)
    /// People in their own quiet hours at half past each hour.
    private(set) var asleep = [Int](repeating: 0, count: 24)
    private(set) var people = 0
    /// Pushes in their recipients' own quiet hours, per hour.
    private(set) var wokenByHour = [Int](repeating: 0, count: 24)
    /// Pushes to unknown tokens, or to people without a known local time. They count as woken.
    private(set) var unplaced = 0

    /// Pushes that came in their recipients' own quiet hours, or may have.
    var woken: Int { wokenByHour.reduce(unplaced, +) }

    /// Pushes between 22:00 and 08:00, to people with other quiet hours.
    var sendsInUsualNight: Int { (0..<24).reduce(0) { $0 + (Night.usual.holds(minute: $1 * 60) ? sends[$1] : 0) } }

    init(pushes: [PushLog], directory: Directory) {
        for recipient in directory.recipients where recipient.waits {
            people += 1
            for hour in 0..<24 where recipient.person.night.holds(minute: hour * 60 + 30) { asleep[hour] += 1 }
        }
        for push in pushes {
            guard let recipient = directory.recipient(of: push.push.token),
                let minute = recipient.localMinute(at: push.minute)
            else {
                unplaced += 1
                continue
            }
            guard push.isHeard else { continue }
            sends[minute / 60] += 1
            if recipient.isAsleep(at: push.minute) { wokenByHour[minute / 60] += 1 }
        }
    }
}
