import Seeded
import TimeZones

/// A seeded population. Most users are due now; the others must not get a push, for various reasons.
///
/// The same seed at the same instant gives the same people. No slot, limit or quiet hours of theirs begin or end in the
/// next half hour, except the default quiet hours. So a run of minutes has one right answer for nearly everyone.
struct Population: Sendable {
    let people: [FaultRecipient]
    let devices: [String: Addressee]
    let owners: [String: FaultRecipient]

    /// Makes `count` random people, at least one. `now`: seconds since 1970.
    init(_ count: Int, seed: UInt64, now: Int64) {
        var draw = PeopleDraw(seed: seed, now: now)
        people = (1...max(1, count)).map { draw.person($0) }
        devices = Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
        owners = Self.owners(people)
    }

    static func owners(_ people: [FaultRecipient]) -> [String: FaultRecipient] {
        let all = people.flatMap { person in person.devices.map { ($0.token, person) } }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
}

/// One user as in the app's tables, and what was sent to them before the run.
struct FaultRecipient: Sendable, Equatable {
    typealias Quiet = Night

    struct Past: Sendable, Equatable {
        /// Seconds since 1970.
        var at: Int64
        /// Its local date, `YYYY-MM-DD`.
        var slot: String
    }

    var id: String
    /// `notification_preferences` as JSON text; nil for NULL.
    var preferences: String?
    var timezone: String?
    var firstSession = true
    var devices: [Addressee] = []
    /// Sends before the run that count for limits, including check-ins: seconds since 1970.
    var sent: [Int64] = []
    var checkIns: [Past] = []

    // What the preferences mean. We know it because we made them, so nothing here parses JSON.

    /// The zone that applies; nil if there is none.
    var zone: String?
    var quiet: Quiet?
    /// The most nudges in 3,600 s.
    var maxPerHour: Int?
    /// The most nudges in 86,400 s.
    var maxPerDay: Int?

    var served: [Addressee] { devices.filter { $0.platform == "ios" } }
    var since: Int64? { served.map(\.registeredAt).min() }
}

/// One row of `push_tokens`, and Apple's answer to its pushes.
struct Addressee: Sendable, Equatable {
    enum Answer: Sendable, Equatable {
        case accepted
        /// 410 with this instant (seconds since 1970). The token may be deleted only if it registered before.
        case gone(since: Int64)
    }

    var token: String
    /// Seconds since 1970.
    var registeredAt: Int64
    /// `ios`, or a platform that nudged ignores.
    var platform = "ios"
    var answer = Answer.accepted

    /// Whether Apple's answer lets the daemon delete the token.
    var mayBeDeleted: Bool { if case .gone(let since) = answer { since > registeredAt } else { false } }
}

struct PeopleDraw {
    private var random: SplitMix64
    private let now: Int64
    private let zones: [Zone]

    /// Half-hour and quarter-hour offsets, both hemispheres, summer time or none, both sides of the date line.
    private static let names = [
        "UTC", "Europe/Paris", "Europe/London", "America/New_York", "America/Los_Angeles", "America/St_Johns",
        "America/Sao_Paulo", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Adelaide",
        "Australia/Lord_Howe",
        "Africa/Lagos", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Pago_Pago",
    ]

    init(seed: UInt64, now: Int64) {
        random = SplitMix64(seed: seed)
        self.now = now
        let database = ZoneDatabase()
        zones = Self.names.compactMap { try? database.zone(named: $0) }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { random.number(range) }

    private mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

    mutating func person(_ number: Int) -> FaultRecipient {
        let order = String(1 << 32 | number, radix: 16).dropFirst()
        var person = FaultRecipient(id: "\(order)-0000-4000-8000-\(random.hex(12))")
        let circumstance = random.pick(weighted: Circumstance.weights) ?? .due
        let zone = zones[self.number(0...zones.count - 1)]
        addDevices(&person, circumstance)
        prefer(&person, circumstance, zone)
        remember(&person, circumstance, zone)
        return person
    }

    // MARK: Devices

    private mutating func addDevices(_ person: inout FaultRecipient, _ circumstance: Circumstance) {
        if circumstance == .noDevice { return }
        let count = chance(70) ? 1 : number(2...4)
        for place in 0..<count {
            let token = random.hex(64)
            let registered = now - Int64(number(3...200)) * 86_400
            let isOther = circumstance == .androidOnly || place > 0 && chance(10)
            var device = Addressee(token: token, registeredAt: registered, platform: isOther ? "android" : "ios")
            if chance(4) {
                // Dead since before or after its registration. Only the second allows its deletion.
                device.answer = .gone(since: registered + (chance(50) ? 3600 : -3600))
            }
            person.devices.append(device)
        }
    }

    // MARK: Preferences

    private mutating func prefer(_ person: inout FaultRecipient, _ circumstance: Circumstance, _ zone: Zone) {
        person.firstSession = circumstance != .noFirstSession
        let isOwn = chance(50)
        person.zone = circumstance == .noZone ? nil : zone.name
        person.timezone = isOwn ? nil : person.zone
        let slot = slotMinute(circumstance, zone)
        var wishes = Wishes()
        wishes.isEnabled = circumstance != .disabled
        wishes.checkInTime = slot.minute
        wishes.timezone = circumstance == .noZone ? "Mars/Base" : isOwn ? zone.name : nil
        switch number(0...9) {
        case 0...6: break
        case 7...8: wishes.frequency = "few_times_a_week"
        // 1970-01-01 was a Thursday.
        default: (wishes.frequency, wishes.weekday) = ("weekly", (Int(slot.day.days) + 3) % 7 + 1)
        }
        wishes.night = quiet(circumstance, zone)
        person.quiet = wishes.night ?? .usual
        if circumstance == .dueUnderCap || circumstance == .capped {
            if chance(50) { wishes.maxPerDay = number(1...3) } else { wishes.maxPerHour = number(1...3) }
            (person.maxPerDay, person.maxPerHour) = (wishes.maxPerDay, wishes.maxPerHour)
        }
        switch circumstance {
        case .none: break
        case .malformed: person.preferences = malformed()
        default: person.preferences = wishes.json
        }
    }

    private mutating func malformed() -> String {
        let all = [
            "{}", "[]", "7", #""yes""#, #"{"check_ins_enabled":"true","frequency":"daily"}"#,
            #"{"check_ins_enabled":true}"#,
            #"{"check_ins_enabled":true,"frequency":"hourly"}"#,
            #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"9:00"}"#,
        ]
        return all[number(0...all.count - 1)]
    }

    /// A due slot was 40 to 200 minutes ago, so it stays fresh for 40 more. A later one is at least three hours ahead.
    private mutating func slotMinute(_ circumstance: Circumstance, _ zone: Zone) -> (minute: Int, day: LocalDate) {
        let away: Int = circumstance == .later ? number(180...600) : -number(40...200)
        let time = zone.localTime(at: Instant(seconds: now + Int64(away) * 60))
        return (time.secondOfDay / 60, time.date)
    }

    private mutating func quiet(_ circumstance: Circumstance, _ zone: Zone) -> Night? {
        if circumstance == .defaultQuiet { return nil }
        let minute = zone.localTime(at: Instant(seconds: now)).secondOfDay / 60
        func away(_ by: Int) -> Int { ((minute + by) % 1440 + 1440) % 1440 }
        if circumstance == .quietNow { return Night(start: away(-number(240...400)), end: away(number(40...400))) }
        if chance(40) { return Night(start: 0, end: 0) }
        // They ended before any slot, and begin at least an hour from now.
        return Night(start: away(number(60...500)), end: away(-number(230...600)))
    }

    // MARK: What was sent before

    private mutating func remember(_ person: inout FaultRecipient, _ circumstance: Circumstance, _ zone: Zone) {
        let window = person.maxPerDay == nil ? 3600 : 86_400
        let limit = person.maxPerDay ?? person.maxPerHour ?? 0
        switch circumstance {
        case .capped, .dueUnderCap:
            let count = circumstance == .capped ? limit : limit - 1
            // The oldest leaves the window after 40 minutes or more.
            for _ in 0..<count { person.sent.append(now - Int64(number(60...window - 2400))) }
        case .tooSoon:
            let at = now - Int64(number(3600...6 * 3600))
            person.checkIns = [FaultRecipient.Past(at: at, slot: zone.localDate(at: Instant(seconds: at)).iso)]
            person.sent = [at]
        default: break
        }
        person.sent.sort()
    }
}

/// Why a random user gets a check-in now or not.
enum Circumstance {
    case due, dueUnderCap, defaultQuiet, later, quietNow, capped, tooSoon, disabled, malformed, noZone, noDevice,
        androidOnly, noFirstSession, none

    /// How many users in a thousand have each circumstance.
    static let weights: [(Circumstance, Int)] = [
        (.due, 560), (.dueUnderCap, 100), (.defaultQuiet, 40), (.later, 50), (.quietNow, 50), (.capped, 50),
        (.tooSoon, 30), (.disabled, 20), (.malformed, 20), (.noZone, 20), (.noDevice, 20), (.androidOnly, 15),
        (.noFirstSession, 15), (.none, 10),
    ]
}
