import JSON
import NudgedKit
import Seeded
import TestSupport
import Testing

struct PreferencesTests {
    private static func text(_ member: String) -> String {
        "{\"check_ins_enabled\":true,\"frequency\":\"daily\",\(member)}"
    }

    @Test(arguments: [
        "\"check_ins_enabled\":1", "\"check_ins_enabled\":null", "\"frequency\":\"Daily\"", "\"frequency\":null",
        "\"timezone\":1", "\"check_in_time\":\"24:00\"",
        "\"check_in_time\":\"9:00\"", "\"check_in_time\":\"09:0０\"", "\"check_in_time\":\"+9:00\"", "\"weekday\":0",
        "\"weekday\":8", "\"weekday\":1.0", "\"weekday\":true", "\"quiet_hours_start\":\"22:00\"",
        "\"quiet_hours_end\":\"22:00\"", "\"quiet_hours_start\":\"22:00\",\"quiet_hours_end\":null",
        "\"quiet_hours_start\":\"22:00\",\"quiet_hours_end\":8", "\"priority_keywords\":\"a\"",
        "\"priority_keywords\":[\"a\",1]", "\"allow_urgent\":\"no\"", "\"max_per_hour\":0", "\"max_per_hour\":10.0",
        "\"max_per_hour\":1e1", "\"max_per_day\":9223372036854775808",
        "\"messages_enabled\":0", "\"max_analyses_per_hour\":4", "\"max_analyses_per_hour\":21",
        "\"fallback_strategy\":\"none\"", "\"muted_until\":\"2026-02-30T00:00:00Z\"", "\"muted_until\":true",
        "\"muted_until\":\"2026-05-07T04:38:44+00:00\"", "\"muted_until\":\"2026-05-07\"",
        "\"reminders_enabled\":\"no\"", "\"categories\":[]", "\"categories\":{\"a\":null}", "\"categories\":{\"a\":1}",
        "\"quiet_hours_by_day\":[]", "\"quiet_hours_by_day\":{\"1\":{\"start\":\"22:00\"}}",
        "\"quiet_hours_by_day\":{\"7\":{\"start\":\"22:00\",\"end\":\"24:00\"}}", "\"quiet_hours_by_day\":{\"2\":[]}",
        "\"pause_threshold_seconds\":59", "\"pause_threshold_seconds\":301", "\"pause_threshold_seconds\":\"120\"",
        "\"active_conversation_threshold\":9", "\"active_conversation_threshold\":51",
    ]) func preferences_whenKeyIsWrong_areMalformed(member: String) {
        #expect(Preferences(parsing: Self.text(member)).malformed != nil)
    }

    @Test(arguments: [
        "\"timezone\":\"Mars/Base\"", "\"timezone\":null", "\"weekday\":7",
        "\"quiet_hours_start\":\"22:00\",\"quiet_hours_end\":\"22:00\"", "\"max_per_day\":9223372036854775807",
        "\"unknown\":{\"x\":1e999}", "\"frequency\":\"x\",\"frequency\":\"weekly\"", "\"max_analyses_per_hour\":5",
        "\"fallback_strategy\":\"notify_all\"", "\"priority_keywords\":[]", "\"smart_enabled\":\"yes\"",
        "\"smart_enabled\":1", "\"smart_enabled\":[true]", "\"muted_until\":\"0001-01-01T00:00:00Z\"",
        "\"muted_until\":null", "\"reminders_enabled\":false", "\"categories\":{}", "\"categories\":{\"a\":true}",
        "\"quiet_hours_by_day\":{}", "\"quiet_hours_by_day\":{\"1\":null,\"8\":5}",
        "\"quiet_hours_by_day\":{\"1\":{\"start\":\"22:00\",\"end\":\"22:00\",\"x\":1}}",
        "\"pause_threshold_seconds\":60", "\"pause_threshold_seconds\":300", "\"active_conversation_threshold\":10",
        "\"active_conversation_threshold\":50",
    ]) func preferences_whenWellFormed_areNot(member: String) {
        let preferences = Preferences(parsing: Self.text(member))
        #expect(preferences.malformed == nil && !preferences.isNull)
    }

    /// Only `true` is a consent. It counts alone, whatever other keys hold.
    @Test(
        arguments: [
            ("{\"smart_enabled\":true}", true), ("{\"smart_enabled\":true,\"weekday\":9}", true),
            ("{\"smart_enabled\":false,\"smart_enabled\":true}", true),
            ("{\"smart_enabled\":true,\"smart_enabled\":false}", false), ("{\"smart_enabled\":false}", false),
            ("{\"smart_enabled\":\"true\"}", false), ("{\"smart_enabled\":1}", false),
            ("{\"smart_enabled\":null}", false), ("{\"smart_enabled\":[true]}", false),
            ("{\"smart_enabled\":{\"smart_enabled\":true}}", false), ("{\"Smart_enabled\":true}", false), ("{}", false),
            ("true", false), ("[true]", false), ("\"smart_enabled\"", false), ("no JSON", false), (nil, false),
        ] as [(String?, Bool)]
    ) func consent_isTrueAndNothingElse(text: String?, consents: Bool) {
        #expect(Preferences(parsing: text).smartEnabled == consents)
    }

    @Test func consent_whenPreferencesAreTooLong_isNone() {
        let text = "{\"smart_enabled\":true,\"x\":\"\(String(repeating: "x", count: 65_536))\"}"
        #expect(!Preferences(parsing: text).smartEnabled)
    }

    @Test func preferences_whenOptOutIsBadlyWritten_isOne() {
        let preferences = Preferences(
            parsing:
                "{\"messages_enabled\":\"no\",\"allow_urgent\":0,\"max_per_hour\":2,\"quiet_hours_start\":\"20:00\"}"
        )
        #expect(!preferences.messagesEnabled && !preferences.allowUrgent)
        #expect(preferences.maxPerHour == 2 && preferences.quietHours == nil)
    }

    @Test func preferences_whenNoObject_allowNothingUrgent() {
        for text in ["[]", "1", "not JSON", ""] {
            let preferences = Preferences(parsing: text)
            #expect(preferences.malformed != nil)
            #expect(!preferences.allowUrgent)
            #expect(preferences.messagesEnabled)
            #expect(!preferences.isNull)
        }
        #expect(Preferences(parsing: nil).isNull && Preferences(parsing: "null").isNull)
        #expect(Preferences(json: .null).allowUrgent)
    }

    @Test(arguments: [("x", 0), ("é", 0), ("x", 1), ("é", 1)])
    func preferences_whenTooLong_sayThatTheyAre(filler: String, beyond: Int) {
        let frame = #"{"check_ins_enabled":true,"frequency":"daily","note":"NOTE"}"#
        let length = 65_536 + beyond - (frame.count - 4)
        let text = frame.split(separator: "NOTE").joined(separator: String(repeating: filler, count: length))
        let preferences = Preferences(parsing: text)
        #expect(preferences.malformed == (beyond > 0 ? "longer than 65,536 characters" : nil))
        #expect(preferences.allowUrgent == (beyond == 0))
    }
}

struct PreferencesOptInTests {
    @Test func optIn_whenTheUserNeverChose_hasTheClientsDefaults() throws {
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: nil))
        #expect(draft.checkInsEnabled && draft.frequency == .fewTimesAWeek && !draft.smartEnabled)
        #expect(draft.priorityKeywords == PreferencesDraft.defaultKeywords && draft.priorityKeywords.contains("urgent"))
        let written = Preferences(parsing: try draft.encoded())
        #expect(written.malformed == nil && written.checkInsEnabled == true && !written.priorityKeywords.isEmpty)
        let german = PreferencesDraft.optingIn(over: Preferences(parsing: nil), keywords: ["dringend"])
        #expect(german.priorityKeywords == ["dringend"])
    }

    @Test func optIn_whenTheUserChoseBefore_keepsTheChoices() {
        let column = #"{"check_ins_enabled":false,"frequency":"weekly","weekday":2,"priority_keywords":[]}"#
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: column))
        #expect(draft.checkInsEnabled && draft.frequency == .weekly && draft.weekday == 2)
        #expect(draft.priorityKeywords.isEmpty)
    }

    @Test func draft_whenNothingWasChosen_isOffAndAFewTimesAWeek() {
        for draft in [PreferencesDraft(), PreferencesDraft(Preferences(parsing: nil))] {
            #expect(!draft.checkInsEnabled && draft.frequency == .fewTimesAWeek)
        }
    }
}

struct PreferencesRoundTripTests {
    @Test(arguments: Seeds.all) func draft_whenValid_comesBackAsItWas(seed: UInt64) throws {
        var drafts = RandomDraft(seed: seed)
        for _ in 0..<400 {
            let draft = drafts.next(valid: true)
            let column = drafts.column()
            let text = try draft.encoded(over: column)
            let preferences = Preferences(parsing: text)
            #expect(preferences.malformed == nil && !preferences.isNull, "seed \(seed): \(text)")
            #expect(PreferencesDraft(preferences) == draft, "seed \(seed): \(text)")
            #expect(try draft.encoded(over: text) == text, "seed \(seed): \(text)")
            // What the column held of ours is gone, what it held of others' is there.
            let others = try JSONValue(parsing: text)
            #expect(
                others["theme"] == column.flatMap { try? JSONValue(parsing: $0) }?["theme"],
                "seed \(seed): \(text)"
            )
            #expect(others["a"] == column.flatMap { try? JSONValue(parsing: $0) }?["a"], "seed \(seed): \(text)")
        }
    }

    /// A draft is refused exactly where the daemon would find its values malformed.
    @Test(arguments: Seeds.all) func draft_whenAnything_isRefusedAsTheDaemonWould(seed: UInt64) {
        var drafts = RandomDraft(seed: seed)
        var refused = 0
        for _ in 0..<400 {
            let draft = drafts.next(valid: false)
            let malformed = Preferences(parsing: RandomDraft.written(draft)).malformed
            #expect(draft.problems.first?.description == malformed, "seed \(seed): \(RandomDraft.written(draft))")
            let isWritten = (try? draft.encoded()) != nil
            #expect(isWritten == (malformed == nil), "seed \(seed): \(RandomDraft.written(draft))")
            refused += malformed == nil ? 0 : 1
        }
        #expect((40..<398).contains(refused), "seed \(seed)")
    }

    /// Whatever the column has, a screen can show it, and writes nothing that is malformed or that turns check-ins on.
    @Test(arguments: Seeds.all) func draft_whenColumnIsAnything_neverOptsIn(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let values = [
            "true", "false", "null", "0", "1", "10.0", "5", "9223372036854775808", "\"daily\"", "\"09:00\"",
            "\"24:00\"", "\"UTC\"",
            "\"GMT\"", "[]", "[\"a\"]", "[1]", "{}", "\"notify_all\"",
        ]
        var wellFormed = 0
        for _ in 0..<800 {
            var members = PreferenceKey.allCases.filter { _ in random.chance(10) }.map { key in
                "\"\(key.rawValue)\":\(random.pick(values))"
            }
            if random.chance(70) { members += ["\"check_ins_enabled\":true", "\"frequency\":\"daily\""] }
            let column = "{\(members.joined(separator: ","))}"
            let before = Preferences(parsing: column)
            var draft = PreferencesDraft(before)
            #expect(
                draft.checkInsEnabled == (before.malformed == nil && before.checkInsEnabled == true),
                "\(seed): \(column)"
            )
            draft.timezone = nil
            let after = Preferences(parsing: try draft.encoded(over: column))
            #expect(after.malformed == nil, "seed \(seed): \(column)")
            #expect(after.messagesEnabled == before.messagesEnabled, "\(seed): \(column)")
            #expect(after.allowUrgent == before.allowUrgent, "\(seed): \(column)")
            #expect(after.smartEnabled == before.smartEnabled, "\(seed): \(column)")
            wellFormed += before.malformed == nil ? 1 : 0
        }
        #expect(wellFormed > 10, "seed \(seed)")
    }
}
