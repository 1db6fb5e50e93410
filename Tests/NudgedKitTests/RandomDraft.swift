import JSON
import NudgedKit
import Seeded
import TestSupport

/// Drafts as no hand would write them, and the JSON of one by a writer of its own.
struct RandomDraft {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A draft; where it must be valid every value is in its range.
    mutating func next(valid: Bool) -> PreferencesDraft {
        var draft = PreferencesDraft()
        draft.checkInsEnabled = random.chance(50)
        draft.frequency = random.pick(Frequency.allCases)
        if random.chance(50) { draft.timezone = random.pick(["UTC", "Europe/Paris", "America/Argentina/Ushuaia"]) }
        if random.chance(50) { draft.checkInTime = time() }
        if random.chance(50) { draft.weekday = random.int(valid ? 1...7 : -1...9) }
        let both = random.chance(50)
        if both || !valid && random.chance(30) { draft.quietHoursStart = time() }
        if both || !valid && random.chance(30) { draft.quietHoursEnd = time() }
        for _ in 0..<random.int(0...3) {
            guard let start = time(), let end = time() else { continue }
            draft.quietHoursByDay[random.int(1...7)] = QuietHours(start: start, end: end)
        }
        if random.chance(50) {
            draft.mutedUntil = UTCSecond(seconds: Int64(random.int(-62_135_596_800...253_402_300_799)))
        }
        let words = ["", "urgent", "\"\\\u{1}", "é e\u{301} \u{212A}", "緊急", "\u{1F468}\u{200D}\u{1F469}", "\u{0}"]
        draft.priorityKeywords = (0..<random.int(0...3)).map { _ in random.pick(words) }
        draft.allowUrgent = random.chance(50)
        if random.chance(50) { draft.maxPerHour = limit(valid) }
        if random.chance(50) { draft.maxPerDay = limit(valid) }
        draft.messagesEnabled = random.chance(50)
        if random.chance(50) { draft.remindersEnabled = !draft.messagesEnabled }
        for word in words where random.chance(20) { draft.categories[word] = random.chance(50) }
        draft.smartEnabled = random.chance(50)
        draft.maxAnalysesPerHour = random.int(valid ? 5...20 : 4...21)
        draft.pauseThresholdSeconds = random.int(valid ? 60...300 : 59...301)
        draft.activeConversationThreshold = random.int(valid ? 10...50 : 9...51)
        draft.fallbackStrategy = random.pick(FallbackStrategy.allCases)
        return draft
    }

    private mutating func time() -> TimeOfDay? { TimeOfDay(minutes: random.int(0...1439)) }

    private mutating func limit(_ valid: Bool) -> Int64 {
        random.pick(valid ? [1, 7, .max] : [1, 7, .max, 0, -1, .min])
    }

    /// What a column may already have: nudged's keys and others, valid or not.
    mutating func column() -> String? {
        random.pick([
            nil, "null", "not JSON", "[1]", #"{"theme":"dark","weekday":9,"check_in_time":"25:00"}"#,
            #"{"quiet_hours_start":"22:00","a":{"weekday":[1,null]},"timezone":null,"frequency":"x","frequency":"weekly"}"#,
        ])
    }

    /// Every member as the draft has it, be it valid or not.
    static func written(_ draft: PreferencesDraft) -> String {
        let texts: [(key: String, value: String?)] = [
            ("frequency", draft.frequency.rawValue), ("quiet_hours_start", draft.quietHoursStart?.description),
            ("quiet_hours_end", draft.quietHoursEnd?.description),
        ]
        let numbers: [(key: String, value: Int64?)] = [
            ("weekday", draft.weekday.map { Int64($0) }), ("max_per_hour", draft.maxPerHour),
            ("max_per_day", draft.maxPerDay), ("max_analyses_per_hour", Int64(draft.maxAnalysesPerHour)),
            ("pause_threshold_seconds", Int64(draft.pauseThresholdSeconds)),
            ("active_conversation_threshold", Int64(draft.activeConversationThreshold)),
        ]
        var object = JSONObject()
        object["check_ins_enabled"] = .bool(draft.checkInsEnabled)
        for text in texts { object[text.key] = text.value.map { .string($0) } }
        for number in numbers { object[number.key] = number.value.map { .int($0) } }
        return JSONValue.object(object).document
    }
}
