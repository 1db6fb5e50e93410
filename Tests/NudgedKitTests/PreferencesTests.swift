import JSON
import NudgedKit
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
    ])
    func preferences_whenKeyIsWrong_areMalformed(member: String) {
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
    ])
    func preferences_whenWellFormed_areNot(member: String) {
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
    )
    func consent_isTrueAndNothingElse(text: String?, consents: Bool) {
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
            #expect(
                preferences.malformed != nil && !preferences.allowUrgent && preferences.messagesEnabled
                    && !preferences.isNull
            )
        }
        #expect(
            Preferences(parsing: nil).isNull && Preferences(parsing: "null").isNull
                && Preferences(json: .null).allowUrgent
        )
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
