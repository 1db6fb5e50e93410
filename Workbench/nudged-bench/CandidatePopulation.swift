import FoundationEssentials
import JSON
import NudgedPreferences
import Policy
import Seeded
import TimeZones

/// A seeded population like an app's: every zone, mixed preferences, and histories that fit the frequency.
struct CandidatePopulation {
    private var random: SplitMix64
    private let zoneNames: [String]

    /// A candidate and the instant at which the policy is evaluated.
    struct Question {
        let candidate: Candidate
        let now: Instant
    }

    init(seed: UInt64, zones: ZoneDatabase) {
        random = SplitMix64(seed: seed)
        zoneNames = zones.names
    }

    /// The next question. Its instant is in 2026.
    mutating func next() -> Question {
        let now = Instant(seconds: 1_767_225_600 + Int64.random(in: 0..<31_536_000, using: &random))
        let frequency = ["daily", "daily", "few_times_a_week", "weekly"].randomElement(using: &random) ?? "daily"
        let candidate = Candidate(
            userID: uuid(),
            preferences: preferences(frequency),
            timezone: chance(10) ? nil : zoneNames.randomElement(using: &random),
            devices: chance(3) ? 0 : 1,
            since: chance(20) ? now - Int64.random(in: 0..<2_000_000, using: &random) : nil,
            history: history(frequency, before: now),
            nudge: nudge(at: now)
        )
        return Question(candidate: candidate, now: now)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func uuid() -> UUID {
        let (high, low) = (random.next(), random.next())
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { buffer in
            buffer.storeBytes(of: high, as: UInt64.self)
            buffer.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }

    private mutating func time(_ hours: Range<Int>) -> JSONValue {
        let minutes = Int.random(in: hours, using: &random) * 60 + Int.random(in: 0..<4, using: &random) * 15
        return .string(TimeOfDay(minutes: minutes)?.description ?? "10:00")
    }

    private mutating func preferences(_ frequency: String) -> Preferences {
        if chance(3) { return Preferences(json: nil) }
        var object = JSONObject()
        object["check_ins_enabled"] = .bool(!chance(10))
        object["frequency"] = .string(frequency)
        if chance(50) { object["timezone"] = .string(zoneNames.randomElement(using: &random) ?? "UTC") }
        if chance(60) { object["check_in_time"] = time(7..<22) }
        if chance(30) {
            object["quiet_hours_start"] = time(20..<24)
            object["quiet_hours_end"] = time(5..<10)
        }
        if chance(20) {
            object["priority_keywords"] = .array([.string("urgent"), .string("server down"), .string("ASAP")])
        }
        if chance(10) { object["max_per_day"] = .int(3) }
        return Preferences(json: .object(object))
    }

    private mutating func history(_ frequency: String, before now: Instant) -> History {
        let days: Int64 = frequency == "daily" ? 1 : frequency == "weekly" ? 7 : 2
        var history = History()
        var at = now - Int64.random(in: 0..<days * 86_400, using: &random)
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            history = history.adding(CheckIn(at: at, slot: LocalDate(days: Int32(at.seconds / 86_400))))
            at = at - days * 86_400
        }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            history = history.adding(sent: now - Int64.random(in: 0..<86_400, using: &random))
        }
        return history
    }

    private mutating func nudge(at now: Instant) -> Nudge {
        if chance(85) { return .checkIn }
        let expiresAt = chance(50) ? now + Int64.random(in: 60..<86_400, using: &random) : nil
        if chance(30) {
            let dueAt = now - Int64.random(in: -3600..<3600, using: &random)
            return .reminder(Reminder(dueAt: dueAt, expiresAt: expiresAt, recipientIsAuthor: chance(50)))
        }
        let body = "The nightly backup of your project has ended; it took a little longer than yesterday."
        return .message(Message(title: "Backup", body: body, urgent: chance(10), expiresAt: expiresAt))
    }
}
