import JSON
import NudgedKit
import TestSupport
import Testing

struct PreferencesDraftTests {
    private func problems(_ change: (inout PreferencesDraft) -> Void) -> [String] {
        var draft = PreferencesDraft()
        change(&draft)
        return draft.problems.map(\.description)
    }

    @Test func problems_whenKeyIsWrong_nameItAndWhatIsWanted() {
        #expect(problems { _ in }.isEmpty)
        #expect(problems { $0.weekday = 0 } == ["weekday: wanted 1 (Monday) to 7"])
        #expect(problems { $0.weekday = 8 } == ["weekday: wanted 1 (Monday) to 7"])
        #expect(problems { $0.maxPerHour = 0 } == ["max_per_hour: wanted an integer of 1 or more"])
        #expect(problems { $0.maxPerDay = -1 } == ["max_per_day: wanted an integer of 1 or more"])
        #expect(problems { $0.maxAnalysesPerHour = 4 } == ["max_analyses_per_hour: wanted 5 to 20"])
        #expect(problems { $0.maxAnalysesPerHour = 21 } == ["max_analyses_per_hour: wanted 5 to 20"])
        #expect(problems { $0.pauseThresholdSeconds = 59 } == ["pause_threshold_seconds: wanted 60 to 300"])
        #expect(problems { $0.activeConversationThreshold = 51 } == ["active_conversation_threshold: wanted 10 to 50"])
        let hours = QuietHours(start: TimeOfDay(hour: 1), end: TimeOfDay(hour: 2))
        for day in [0, 8] {
            let found = problems { $0.quietHoursByDay[day] = hours }
            #expect(found.first?.hasPrefix("quiet_hours_by_day: wanted an object") == true)
        }
        let (start, end) = ("quiet_hours_start", "quiet_hours_end")
        #expect(problems { $0.quietHoursStart = TimeOfDay("22:00") } == ["\(end): wanted HH:MM beside \(start)"])
        #expect(problems { $0.quietHoursEnd = TimeOfDay("22:00") } == ["\(start): wanted HH:MM beside \(end)"])
        #expect(problems { $0.timezone = "EST5EDT" } == ["timezone: wanted UTC or a name as Europe/Paris"])
    }

    @Test func problems_whenThereAreMany_areAllThere_andTheFirstIsThrown() {
        let found = problems {
            $0.timezone = ""
            $0.weekday = 9
            $0.quietHoursEnd = TimeOfDay("07:00")
            $0.maxPerHour = 0
            $0.maxPerDay = 0
            $0.maxAnalysesPerHour = 0
        }
        let keys = ["timezone", "weekday", "quiet_hours_start", "max_per_hour", "max_per_day", "max_analyses_per_hour"]
        #expect(found.compactMap { $0.split(separator: ":").first.map(String.init) } == keys)
        var draft = PreferencesDraft()
        draft.weekday = 8
        draft.maxPerDay = 0
        let problem = #expect(throws: PreferenceProblem.self) { try draft.encoded() }
        #expect(problem?.key == .weekday && problem?.wanted == PreferenceKey.weekday.wanted)
    }

    /// The daemon would find a longer text malformed, and stop the user's check-ins.
    @Test func encoding_whenLongerThanTheDaemonReads_throws() throws {
        func draft(_ keywords: Int) -> PreferencesDraft {
            var draft = PreferencesDraft()
            draft.priorityKeywords = Array(repeating: "word", count: keywords)
            return draft
        }
        #expect(Preferences(parsing: try draft(8_000).encoded()).malformed == nil)
        let problem = #expect(throws: PreferenceProblem.self) { try draft(10_000).encoded() }
        #expect(problem?.key == .priorityKeywords)
        // 58,800 characters here, and 67,200 as jsonb.
        #expect(throws: PreferenceProblem.self) { try draft(8_400).encoded() }
    }

    @Test func encoding_whenNothingIsSet_isTheDefaults() throws {
        #expect(
            try PreferencesDraft().encoded() == """
                {"check_ins_enabled":false,"frequency":"few_times_a_week","priority_keywords":[],"allow_urgent":true,\
                "messages_enabled":true,"smart_enabled":false,"max_analyses_per_hour":10,\
                "fallback_strategy":"simple_rules","pause_threshold_seconds":120,"active_conversation_threshold":20}
                """
        )
    }

    @Test func encoding_whenAllIsSet_namesEveryKeyOfTheSchema() throws {
        var draft = PreferencesDraft()
        draft.timezone = "Europe/Paris"
        draft.checkInTime = TimeOfDay("09:05")
        draft.weekday = 7
        draft.quietHoursStart = TimeOfDay("22:00")
        draft.quietHoursEnd = TimeOfDay("07:30")
        draft.maxPerHour = 1
        draft.maxPerDay = .max
        draft.quietHoursByDay = [
            5: QuietHours(start: TimeOfDay(hour: 23), end: TimeOfDay(hour: 10)),
            7: QuietHours(start: TimeOfDay(hour: 8), end: TimeOfDay(hour: 8)),
        ]
        draft.mutedUntil = UTCSecond("2026-05-07T04:38:44Z")
        draft.remindersEnabled = false
        draft.categories = ["news": false, "chat": true]
        guard case .object(let object) = try JSONValue(parsing: draft.encoded()) else { return fail("no object") }
        #expect(object.members.map(\.key) == PreferenceKey.allCases.map(\.rawValue))
        #expect(object["check_in_time"] == .string("09:05") && object["max_per_day"] == .int(.max))
        #expect(object["muted_until"] == .string("2026-05-07T04:38:44Z") && object["reminders_enabled"] == .bool(false))
        #expect(try object["categories"] == JSONValue(parsing: #"{"chat":true,"news":false}"#))
        let days = #"{"5":{"start":"23:00","end":"10:00"},"7":{"start":"08:00","end":"08:00"}}"#
        #expect(try object["quiet_hours_by_day"] == JSONValue(parsing: days))
    }

    @Test func encoding_whenTheColumnHoldsMore_keepsWhatIsNotOurs() throws {
        let column = #"{"theme":"dark","weekday":3,"check_ins_enabled":true,"max_per_day":2,"n":1.5}"#
        var draft = PreferencesDraft(Preferences(parsing: column))
        #expect(!draft.checkInsEnabled && draft.weekday == 3)
        draft.weekday = nil
        #expect(
            try draft.encoded(over: column) == """
                {"theme":"dark","check_ins_enabled":false,"max_per_day":2,"n":1.5,"frequency":"few_times_a_week",\
                "priority_keywords":[],"allow_urgent":true,"messages_enabled":true,"smart_enabled":false,\
                "max_analyses_per_hour":10,"fallback_strategy":"simple_rules","pause_threshold_seconds":120,\
                "active_conversation_threshold":20}
                """
        )
    }

    @Test func draft_whenPreferencesAreMalformed_showsWhatIsInForce() {
        let text = """
            {"check_ins_enabled":true,"frequency":"weekly","weekday":8,"quiet_hours_start":"22:00",\
            "messages_enabled":"no","max_per_hour":2}
            """
        let draft = PreferencesDraft(Preferences(parsing: text))
        #expect(!draft.checkInsEnabled && draft.frequency == .weekly && draft.weekday == nil)
        #expect(draft.quietHoursStart == nil && !draft.messagesEnabled && draft.maxPerHour == 2)
        #expect(PreferencesDraft(Preferences(parsing: nil)) == PreferencesDraft())
    }

    @Test func names_whenShown_areOneForEach() {
        #expect(Frequency.allCases.map(\.displayName) == ["Every day", "A few times a week", "Once a week"])
        #expect(Frequency.fewTimesAWeek.displayKey == "nudged.frequency.few_times_a_week")
        #expect(Set(FallbackStrategy.allCases.map(\.displayName)).count == 3)
        #expect(FallbackStrategy.notifyAll.displayKey == "nudged.fallback_strategy.notify_all")
    }

    @Test func times_whenWritten_areReadAgain() {
        for minutes in 0..<1440 {
            let time = TimeOfDay(minutes: minutes)
            #expect(time.flatMap { TimeOfDay($0.description) } == time && time?.seconds == Int64(minutes) * 60)
        }
        #expect(TimeOfDay(minutes: 1440) == nil && TimeOfDay(minutes: -1) == nil)
    }
}
