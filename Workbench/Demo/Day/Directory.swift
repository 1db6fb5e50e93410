import Seeded
import Service
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

/// How the orders' Live Activities went, by the simulator's log alone.
struct OrderCheck: Sendable {
    private var started = 0
    private var neverStarted = 0
    private var updates = 0
    private var updatesAtNight = 0
    private(set) var wrong = 0

    init(pushes: [PushLog], directory: Directory) {
        let shown = Dictionary(grouping: pushes.filter { $0.event != nil }) {
            directory.recipient(of: $0.push.token)?.person.userID
        }
        for recipient in directory.recipients {
            guard let order = recipient.person.order else { continue }
            check(order, shown[order.userID] ?? []) { !recipient.isAsleep(at: $0) }
        }
    }

    private mutating func check(_ order: DemoOrder, _ shown: [PushLog], isAwake: (Int) -> Bool) {
        let (first, last) = (order.minutes[0], order.minutes[3])
        guard let start = shown.first else {
            neverStarted += 1
            // A start that waits for the end of quiet hours comes in the half hour after it.
            let wasToStart = isAwake(first) || (last - 31..<last).allSatisfy(isAwake)
            wrong += wasToStart ? 1 : 0
            return
        }
        // An update that waited for the start may be replaced by the next one.
        let steps = shown.map(\.step)
        let isWhole =
            steps == [0, 1, 2, 3] || start.minute > first && [[0, 1, 3], [0, 2, 3], [0, 3]].contains(steps)
        let isRight =
            isWhole && isAwake(start.minute)
            && shown.allSatisfy { log in
                let (event, title) = DemoOrder.events[log.step]
                return log.event == event && log.isHeard == (title != nil && isAwake(log.minute))
                    && log.push.token == (log.step == 0 ? order.startToken : order.activityToken)
            }
        started += 1
        updates += shown.count - 2
        updatesAtNight += shown.count { $0.event == "update" && !isAwake($0.minute) }
        wrong += isRight ? 0 : 1
    }

    var lines: [String] {
        guard wrong == 0 else {
            return [
                "WRONG: \(Elapsed.counted(wrong, "order", "orders")) had a Live Activity that started or was heard in "
                    + "quiet hours, or lacked its start, an update or its end"
            ]
        }
        return [
            "\(Elapsed.counted(started, "Live Activity", "Live Activities")) started, none in quiet hours, and ended; "
                + "of \(Elapsed.counted(updates, "update", "updates")), \(Elapsed.grouped(updatesAtNight)) came in quiet "
                + "hours, silently",
            "\(Elapsed.counted(neverStarted, "order", "orders")) ended before quiet hours did: no Live Activity "
                + "started",
        ]
    }
}
