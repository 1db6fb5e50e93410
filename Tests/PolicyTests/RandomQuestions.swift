import JSON
import Seeded
import TestSupport
import TimeZones

/// Random input lines of every kind, with more of them where the rules are hard: around transitions, at the edges of
/// quiet hours, at full caps.
struct RandomQuestions {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private static let crooked = [
        "Pacific/Apia", "Pacific/Fakaofo", "Australia/Lord_Howe", "Africa/Casablanca", "America/Scoresbysund",
        "Asia/Gaza", "America/Asuncion", "Europe/Dublin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham",
        "Antarctica/Troll", "America/Santiago", "Asia/Beirut", "Asia/Tehran", "America/Havana", "America/Nuuk",
    ]

    mutating func line(_ number: Int) -> JSONObject {
        let name = random.chance(50) ? random.pick(Self.crooked) : random.pick(Fixture.zoneNames)
        let now = now(in: name)
        var line = JSONObject()
        line["id"] = .string("random-\(number)")
        line["now"] = .string(now.rfc3339)
        line["user_id"] = .string(uuid())
        if random.chance(3) { line["paused"] = .bool(true) }
        line["preferences"] = preferences(zone: random.chance(60) ? name : nil, now)
        if random.chance(80) { line["timezone"] = .string(random.chance(90) ? name : random.pick(Self.badNames)) }
        if random.chance(3) { line["first_session_complete"] = .bool(false) }
        if random.chance(10) { line["devices"] = .int(Int64(random.int(0...2))) }
        if random.chance(30) { line["since"] = instant(now, -200...60) }
        if random.chance(60) { line["seen"] = instant(now, random.chance(50) ? -1...0 : -30...1) }
        if random.chance(40) { line["ignored"] = .int(Int64(random.int(0...12))) }
        history(&line, now)
        line["rules"] = rules()
        nudge(&line, now)
        return line
    }

    private static let badNames = [
        "Mars/Base", "EST5EDT", "UTC+3", "posix/Europe/Paris", "europe/paris", "", "Europe", "Europe/../UTC",
    ]

    private mutating func now(in name: String) -> Instant {
        let base: Instant
        let zone = try? Fixture.zones.zone(named: name)
        let transitions: [Instant] = (zone?.fileTransitions ?? []).filter { $0.seconds > 1_262_304_000 }
        if random.chance(50), !transitions.isEmpty {
            base = random.pick(transitions) + Int64(random.int(-4 * 86_400...4 * 86_400))
        } else {
            let last = random.chance(10) ? 4_102_444_800 : 2_082_758_400
            base = Instant(seconds: Int64(random.int(1_262_304_000...last)))
        }
        // Whole hours and quarters by the wall, and one second beside, are where the rules change.
        guard random.chance(60) else { return base }
        let quarter = base.seconds - base.seconds % 900
        return Instant(seconds: quarter + Int64(random.pick([0, 0, -1, 1])))
    }

    mutating func uuid() -> String {
        let digits = (0..<32).map { _ in random.pick(Array("0123456789abcdef")) }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    private mutating func time() -> JSONValue {
        let minutes = random.chance(70) ? random.int(0...95) * 15 : random.int(0...1439)
        let (hour, minute) = (minutes / 60, minutes % 60)
        return .string("\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)")
    }

    private mutating func instant(_ now: Instant, _ hours: ClosedRange<Int>) -> JSONValue {
        let seconds = random.int(hours.lowerBound * 3600...hours.upperBound * 3600)
        return .string((now + Int64(random.chance(20) ? seconds / 3600 * 3600 : seconds)).rfc3339)
    }

    mutating func preferences(zone: String?, _ now: Instant) -> JSONValue {
        if random.chance(4) {
            return random.pick([.null, .null, .null, .array([]), .string("x"), .int(1), .bool(true)])
        }
        var object = JSONObject()
        object["check_ins_enabled"] = .bool(!random.chance(3))
        object["frequency"] = .string(random.pick(["daily", "few_times_a_week", "weekly"]))
        if let zone { object["timezone"] = .string(zone) }
        if random.chance(50) { object["check_in_time"] = time() }
        if random.chance(40) { object["weekday"] = .int(Int64(random.int(1...7))) }
        if random.chance(50) {
            object["quiet_hours_start"] = time()
            object["quiet_hours_end"] = random.chance(5) ? object["quiet_hours_start"] : time()
        }
        if random.chance(40) {
            object["priority_keywords"] = .array([
                .string("Server  DOWN"), .string("Straße"), .string("緊急"), .string("--"),
            ])
        }
        if random.chance(20) { object["allow_urgent"] = .bool(random.chance(50)) }
        if random.chance(25) { object["max_per_hour"] = .int(Int64(random.int(1...3))) }
        if random.chance(25) { object["max_per_day"] = .int(Int64(random.int(1...6))) }
        if random.chance(5) { object["messages_enabled"] = .bool(random.chance(50)) }
        if random.chance(10) { object["reminders_enabled"] = .bool(random.chance(50)) }
        if random.chance(15) {
            let members = Self.categories.map { name in
                JSONObject.Member(key: name, value: random.chance(70) ? .bool(random.chance(50)) : .null)
            }
            object["categories"] = .object(JSONObject(members))
        }
        if random.chance(15) { object["muted_until"] = instant(now, random.chance(80) ? 0...30 : -20...400) }
        if random.chance(25) { object["quiet_hours_by_day"] = days() }
        if random.chance(30) { object["smart_enabled"] = .bool(random.chance(80)) }
        if random.chance(20) { object["pause_threshold_seconds"] = .int(Int64(random.int(60...300))) }
        if random.chance(20) { object["active_conversation_threshold"] = .int(Int64(random.int(10...50))) }
        if random.chance(8) { spoil(&object) }
        return .object(object)
    }

    private static let categories = ["news", "\u{E9}", "e\u{301}"]

    private mutating func days() -> JSONValue {
        var days = JSONObject()
        for day in 1...7 where random.chance(60) {
            days["\(day)"] =
                random.chance(15)
                ? .null : random.chance(3) ? .object(JSONObject([.init(key: "start", value: time())])) : hours()
        }
        return .object(days)
    }

    private mutating func hours() -> JSONValue { (["start": time(), "end": time()] as Fields).part }

    /// One key of a wrong type or out of range.
    private mutating func spoil(_ object: inout JSONObject) {
        let keys = [
            "check_ins_enabled", "frequency", "timezone", "check_in_time", "weekday", "quiet_hours_start",
            "quiet_hours_end", "priority_keywords", "allow_urgent", "max_per_hour", "max_per_day", "messages_enabled",
            "max_analyses_per_hour", "fallback_strategy", "smart_enabled", "muted_until", "reminders_enabled",
            "categories", "quiet_hours_by_day", "pause_threshold_seconds", "active_conversation_threshold",
        ]
        object[random.pick(keys)] = random.pick([
            .null, .int(0), .int(8), .int(-1), .number(1.5), .string("24:00"), .string("9:00"), .bool(true),
            .array([.int(1)]), .object(JSONObject()),
        ])
    }

    private mutating func history(_ line: inout JSONObject, _ now: Instant) {
        let day = now.seconds / 86_400
        var checkIns: [JSONValue] = []
        var sent: [JSONValue] = []
        for _ in 0..<random.pick([0, 0, 1, 2, 4]) {
            let slot = LocalDate(days: Int32(day) + Int32(random.int(-12...(random.chance(10) ? 3 : 0))))
            let at =
                random.chance(95)
                ? Int64(slot.days) * 86_400 + Int64(random.int(0...100_000))
                : now.seconds + Int64(random.int(0...400_000))
            let instant = JSONValue.string(Instant(seconds: at).rfc3339)
            checkIns.append((["at": instant, "slot": slot.iso] as Fields).part)
            sent.append(instant)
        }
        for _ in 0..<random.pick([0, 0, 2, 6]) { sent.append(instant(now, random.chance(90) ? -26...0 : -2...60)) }
        let closed = (0..<random.pick([0, 0, 0, 2, 20])).map { _ in
            JSONValue.string(LocalDate(days: Int32(day) + Int32(random.int(-5...9))).iso)
        }
        line["check_ins"] = .array(checkIns)
        line["sent"] = .array(sent)
        line["closed"] = .array(closed)
    }

    mutating func rules() -> JSONValue {
        var rules = JSONObject()
        if random.chance(20) { rules["default_timezone"] = .string(random.pick(Fixture.zoneNames)) }
        if random.chance(50) { rules["check_in_time"] = time() }
        if random.chance(50) { rules["spread_minutes"] = .int(Int64(random.pick([0, 1, 30, 180, 1440]))) }
        if random.chance(50) {
            let quiet = hours()
            rules["quiet_hours"] = random.chance(20) ? .null : quiet
        }
        if random.chance(50) { rules["quiet_end_jitter_minutes"] = .int(Int64(random.pick([0, 15, 60, 240]))) }
        if random.chance(50) { rules["max_staleness_minutes"] = .int(Int64(random.pick([1, 60, 600, 1440, 2880]))) }
        if random.chance(30) { rules["max_per_hour"] = random.chance(20) ? .null : .int(Int64(random.int(1...3))) }
        if random.chance(30) { rules["max_per_day"] = .int(Int64(random.int(1...6))) }
        if random.chance(60) { rules["skip_if_active_minutes"] = .int(Int64(random.pick([1, 1440, 1440]))) }
        if random.chance(30) { rules["back_off_after"] = .int(Int64(random.pick([2, 3, 5, 50]))) }
        if random.chance(50) { rules["holdout_percent"] = .int(Int64(random.pick([1, 50, 50]))) }
        return .object(rules)
    }

    private mutating func conversation(_ now: Instant) -> JSONValue {
        let last = now + Int64(random.chance(80) ? random.int(-150...0) : random.int(-400...400))
        return (["messages": random.int(5...60), "last_at": last.rfc3339] as Fields).part
    }

    private mutating func nudge(_ line: inout JSONObject, _ now: Instant) {
        let expiry: JSONValue = random.chance(50) ? instant(now, random.chance(90) ? 0...30 : -2...0) : .null
        if random.chance(50) {
            line["kind"] = .string("check_in")
        } else if random.chance(50) {
            line["kind"] = .string("message")
            let texts = [
                "server down!", "SERVER, down", "STRAßE", "Stra\u{DF}e 5", "strasse", "大緊急事態", "緊 急", "nothing", "",
                "ob‑server down",
            ]
            let message: Fields = [
                "title": random.pick(texts), "body": random.pick(texts), "urgent": random.chance(15),
                "expires_at": expiry, "silent": random.chance(15),
                "deliver_at": random.chance(15) ? instant(now, -2...2) : nil,
                "category": random.chance(40) ? random.pick(Self.categories) : nil,
                "conversation": random.chance(60) ? conversation(now) : nil,
                "created_at": random.chance(80) ? instant(now, -72...0) : nil,
            ]
            line["message"] = message.part
        } else {
            line["kind"] = .string("reminder")
            let reminder: Fields = [
                "due_at": instant(now, random.chance(50) ? -1...0 : -20...2), "expires_at": expiry,
                "recipient_is_author": random.chance(70),
            ]
            line["reminder"] = reminder.part
        }
    }
}
