import Seeded

extension DemoPerson {
    private enum Kind { case active, neverOptedIn, malformed, disabled, noFirstSession, noDevice, noZone }

    private static let kinds: [(Kind, Int)] = [
        (.active, 780), (.neverOptedIn, 60), (.disabled, 50), (.noFirstSession, 40), (.noDevice, 30), (.malformed, 25),
        (.noZone, 15),
    ]

    /// How many in a thousand change their preferences during the day.
    private static let changing: UInt64 = 15

    static func draw(_ places: Places, start: Int64, _ generator: inout SplitMix64) -> DemoPerson {
        let userID = generator.uuid()
        let kind = generator.pick(weighted: kinds) ?? .active
        let home = places.draw(&generator) ?? "UTC"
        var wishes = Wishes.draw(&generator)
        wishes.isEnabled = kind != .disabled
        let (profileZone, zone) = addresses(kind == .noZone, home: home, &wishes, &generator)
        let devices = kind == .noDevice ? [] : DemoDevice.drawAll(start: start, &generator)
        var change: Change?
        if generator.chance(changing) {
            let later = wishes.changed(&generator)
            change = Change(minute: generator.number(60...1380), preferences: later.json, night: later.night ?? .usual)
        }
        let preferences: String? =
            switch kind {
            case .neverOptedIn: nil
            case .malformed: generator.pick(malformed)
            default: wishes.json
            }
        return DemoPerson(
            userID: userID,
            preferences: preferences,
            timezone: profileZone,
            firstSessionComplete: kind != .noFirstSession,
            devices: devices,
            zone: zone,
            night: wishes.night ?? .usual,
            isServed: kind == .active,
            change: change
        )
    }

    /// The profile's zone and the zone that applies. The preferences' zone comes first; an invalid name is ignored.
    private static func addresses(
        _ isNowhere: Bool,
        home: String,
        _ wishes: inout Wishes,
        _ generator: inout SplitMix64
    ) -> (profile: String?, effective: String?) {
        if isNowhere {
            if generator.chance(500) { wishes.timezone = generator.pick(badZones) }
            return (generator.pick(badZones), nil)
        }
        switch generator.number(0...99) {
        case 0..<65: return (home, home)
        case 65..<85:
            // They moved: the preferences have the new zone, the profile the old one.
            wishes.timezone = home
            return ("Europe/London", home)
        case 85..<97:
            wishes.timezone = home
            return (nil, home)
        default:
            wishes.timezone = generator.pick(badZones)
            return (home, home)
        }
    }

    private static let badZones = [
        "Mars/Olympus", "EST5EDT", "UTC+3", "Europe/Atlantis", "../etc/passwd", "europe/berlin", "",
    ]

    /// Valid JSON that is not a valid preference. Each counts as no opt-in.
    private static let malformed = [
        #"{"check_ins_enabled":true}"#,
        #"{"check_ins_enabled":"yes","frequency":"daily"}"#,
        #"{"check_ins_enabled":true,"frequency":"hourly"}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"25:00"}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","quiet_hours_start":"22:00"}"#,
        #"{"check_ins_enabled":true,"frequency":"weekly","weekday":8}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","max_per_day":1.5}"#,
        #"["daily"]"#, #""daily""#, "7", "true",
    ]
}

extension DemoDevice {
    static func drawAll(start: Int64, _ generator: inout SplitMix64) -> [DemoDevice] {
        let count = generator.pick(weighted: [(1, 70), (2, 22), (3, 8)]) ?? 1
        return (0..<count).map { _ in draw(start: start, &generator) }
    }

    private static func draw(start: Int64, _ generator: inout SplitMix64) -> DemoDevice {
        // At least two days ago, because the day may start up to an hour after the real clock.
        let registeredAt = start - Int64(generator.number(2 * 86_400...400 * 86_400))
        let token = generator.hex(64)
        let platform = generator.chance(20) ? "android" : generator.chance(100) ? "ipados" : "ios"
        func device(_ answer: DemoDevice.Answer, token printed: String? = nil) -> DemoDevice {
            DemoDevice(token: printed ?? token, platform: platform, registeredAt: registeredAt, answer: answer)
        }
        switch generator.number(0...999) {
        // Uninstalled: Apple answers 410, and the token is to be deleted.
        case 0..<20: return device(.unregistered(since: registeredAt + 86_400))
        // Uninstalled, then installed again: the token stays.
        case 20..<24: return device(.unregistered(since: registeredAt - 86_400))
        case 24..<27: return device(.badToken)
        case 27..<30: return device(.busyOnce)
        case 30..<32: return device(.troubledOnce)
        // What some apps store: a description of the token instead of its bytes.
        case 32..<35: return device(.accepted, token: "{length=32,bytes=0x\(token.prefix(8))...\(token.suffix(8))}")
        default: return device(.accepted)
        }
    }
}

/// Where people live: most in zones of large populations, the others in any zone of the database.
struct Places: Sendable {
    private let large: [(String, Int)]
    private let all: [String]

    private static let shareOfLarge: UInt64 = 800

    /// - Parameter names: every zone of the database, sorted, so the same database gives the same people.
    init(names: [String]) {
        let known = Set(names)
        large = Self.weights.filter { known.contains($0.0) }
        all = names
    }

    func draw(_ generator: inout SplitMix64) -> String? {
        let fromLarge = generator.chance(Self.shareOfLarge)
        let place = fromLarge ? generator.pick(weighted: large) : nil
        return place ?? generator.pick(all)
    }

    /// Weights, roughly by the number of phones. They include half-hour and quarter-hour offsets and both hemispheres.
    private static let weights: [(String, Int)] = [
        ("America/New_York", 110), ("America/Chicago", 60), ("America/Denver", 25), ("America/Los_Angeles", 70),
        ("America/Toronto", 25), ("America/Halifax", 6), ("America/St_Johns", 4), ("America/Mexico_City", 40),
        ("America/Bogota", 18), ("America/Sao_Paulo", 60), ("America/Argentina/Buenos_Aires", 20),
        ("America/Santiago", 12), ("Europe/London", 60), ("Europe/Lisbon", 10), ("Europe/Paris", 50),
        ("Europe/Berlin", 60), ("Europe/Madrid", 35), ("Europe/Rome", 35), ("Europe/Warsaw", 25),
        ("Europe/Stockholm", 12), ("Europe/Istanbul", 35), ("Europe/Kyiv", 14), ("Africa/Cairo", 25),
        ("Africa/Lagos", 30), ("Africa/Nairobi", 14), ("Africa/Johannesburg", 16), ("Asia/Dubai", 14),
        ("Asia/Tehran", 14), ("Asia/Kolkata", 90), ("Asia/Kathmandu", 6), ("Asia/Dhaka", 14), ("Asia/Jakarta", 35),
        ("Asia/Bangkok", 25), ("Asia/Shanghai", 90), ("Asia/Tokyo", 70), ("Asia/Seoul", 35), ("Asia/Manila", 20),
        ("Australia/Sydney", 22), ("Australia/Adelaide", 5), ("Pacific/Auckland", 8), ("Pacific/Chatham", 2),
        ("Pacific/Honolulu", 4),
    ]
}

extension SplitMix64 {
    /// True this often in a thousand.
    mutating func chance(_ perMille: UInt64) -> Bool { next() % 1000 < perMille }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
    }
}

extension Wishes {
    static func draw(_ generator: inout SplitMix64) -> Wishes {
        var wishes = Wishes()
        wishes.frequency = generator.pick(weighted: frequencies) ?? "daily"
        if wishes.frequency == "weekly", generator.chance(500) { wishes.weekday = generator.number(1...7) }
        if generator.chance(50) { wishes.maxPerDay = generator.number(1...3) }
        switch generator.number(0...99) {
        case 0..<60: break
        case 60..<91: wishes.night = Night(start: half(41, 47, &generator), end: half(11, 19, &generator))
        case 91..<93:
            // Works at night and sleeps by day.
            wishes.night = Night(start: half(15, 18, &generator), end: half(31, 34, &generator))
            wishes.checkInTime = quarter(generator.chance(500) ? 20 : 1, 4, &generator)
            return wishes
        case 93..<96: wishes.night = Night(start: half(26, 28, &generator), end: half(30, 33, &generator))
        case 96..<98: wishes.night = Night(start: 0, end: 0)
        // A short night, from after midnight.
        default: wishes.night = Night(start: half(1, 4, &generator), end: half(11, 15, &generator))
        }
        if generator.chance(550) { wishes.checkInTime = time(&generator) }
        return wishes
    }

    func changed(_ generator: inout SplitMix64) -> Wishes {
        var wishes = self
        switch generator.number(0...4) {
        case 0: wishes.isEnabled.toggle()
        case 1: wishes.frequency = frequency == "daily" ? "weekly" : "daily"
        case 2: wishes.checkInTime = Self.time(&generator)
        case 3: wishes.night = Night(start: Self.half(38, 44, &generator), end: Self.half(17, 21, &generator))
        // Back to the default.
        default: wishes.night = nil
        }
        return wishes
    }

    private static let frequencies = [("daily", 60), ("few_times_a_week", 25), ("weekly", 15)]

    /// Most in the morning and in the evening. A few choose the night by mistake, and must not be woken.
    private static func time(_ generator: inout SplitMix64) -> Int {
        switch generator.number(0...99) {
        case 0..<45: quarter(7, 4, &generator)
        case 45..<60: quarter(11, 5, &generator)
        case 60..<92: quarter(17, 4, &generator)
        default: quarter(23, 7, &generator)
        }
    }

    /// A quarter hour within `hours` hours from `hour` on, as a minute of the day.
    private static func quarter(_ hour: Int, _ hours: Int, _ generator: inout SplitMix64) -> Int {
        (hour * 60 + 15 * generator.number(0...hours * 4 - 1)) % 1440
    }

    /// A half hour from `first` to `last`, counted from midnight, as a minute of the day.
    private static func half(_ first: Int, _ last: Int, _ generator: inout SplitMix64) -> Int {
        generator.number(first...last) * 30
    }
}
