import Seeded

import struct FoundationEssentials.UUID

extension DemoPerson {
    /// Why someone can get check-ins or not.
    private enum Kind {
        case active, neverOptedIn, malformed, disabled, noFirstSession, noDevice, noZone
    }

    /// How many in a thousand.
    private static let kinds: [(Kind, Int)] = [
        (.active, 780), (.neverOptedIn, 60), (.disabled, 50), (.noFirstSession, 40), (.noDevice, 30), (.malformed, 25),
        (.noZone, 15),
    ]

    /// How many in a thousand change their preferences during the day.
    private static let changing: UInt64 = 15

    static func draw(_ places: Places, start: Int64, _ generator: inout SplitMix64) -> DemoPerson {
        let userID = UUID.drawn(&generator)
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

extension UUID {
    /// A UUID of version 4 (RFC 9562, section 5.4) from random bits.
    static func drawn(_ generator: inout SplitMix64) -> UUID {
        var bytes: [UInt8] = []
        for word in [generator.next(), generator.next()] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}
