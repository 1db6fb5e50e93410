import JSON
import NudgedKit
import Seeded
import TestSupport
import Testing

struct PreferencesTests {
    /// `Tests/Reference/preferences.txt` says how texts are read.
    @Test func preferences_areAsTheTableSays() throws {
        let lines = try Checkout.reference("preferences")
        #expect(lines.count == 86)
        for line in lines {
            let (word, text) = (line.prefix { $0 != " " }, String(line.drop { $0 != " " }.dropFirst()))
            let isMember = word == "wrong" || word == "good"
            let whole = isMember ? #"{"check_ins_enabled":true,"frequency":"daily",\#(text)}"# : text
            let preferences = Preferences(parsing: whole)
            switch word {
            case "wrong": #expect(preferences.malformed != nil, "\(line)")
            case "good": #expect(preferences.malformed == nil && !preferences.isNull, "\(line)")
            case "consents": #expect(preferences.smartEnabled, "\(line)")
            case "refuses": #expect(!preferences.smartEnabled, "\(line)")
            default: Issue.record("\(line)")
            }
        }
        #expect(!Preferences(parsing: nil).smartEnabled)
    }

    @Test func preferences_whenOptOutIsBadlyWritten_isOne() {
        let text = #"{"messages_enabled":"no","allow_urgent":0,"max_per_hour":2,"quiet_hours_start":"20:00"}"#
        let preferences = Preferences(parsing: text)
        #expect(!preferences.messagesEnabled && !preferences.allowUrgent)
        #expect(preferences.maxPerHour == 2 && preferences.quietHours == nil)
    }

    @Test func preferences_whenNoObject_allowNothingUrgent() {
        for text in ["[]", "1", "not JSON", ""] {
            let preferences = Preferences(parsing: text)
            #expect(preferences.malformed != nil && !preferences.allowUrgent && preferences.messagesEnabled)
            #expect(!preferences.isNull)
        }
        #expect(Preferences(parsing: nil).isNull && Preferences(parsing: "null").isNull)
        #expect(Preferences(json: .null).allowUrgent)
    }

    @Test(arguments: [("x", 0), ("é", 0), ("x", 1), ("é", 1)])
    func preferences_whenTooLong_sayThatTheyAre(filler: String, beyond: Int) {
        let frame = #"{"check_ins_enabled":true,"frequency":"daily","smart_enabled":true,"note":"NOTE"}"#
        let length = 65_536 + beyond - (frame.count - 4)
        let text = frame.split(separator: "NOTE").joined(separator: String(repeating: filler, count: length))
        let preferences = Preferences(parsing: text)
        #expect(preferences.malformed == (beyond > 0 ? "longer than 65,536 characters" : nil))
        #expect(preferences.allowUrgent == (beyond == 0) && preferences.smartEnabled == (beyond == 0))
    }

    @Test func optIn_whenTheUserNeverChose_hasTheClientsDefaults() throws {
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: nil))
        #expect(draft.checkInsEnabled && draft.frequency == .fewTimesAWeek && !draft.smartEnabled)
        #expect(draft.priorityKeywords == PreferencesDraft.defaultKeywords && draft.priorityKeywords.contains("urgent"))
        let written = Preferences(parsing: try draft.encoded())
        #expect(written.malformed == nil && written.checkInsEnabled == true && !written.priorityKeywords.isEmpty)
        let german = PreferencesDraft.optingIn(over: Preferences(parsing: nil), keywords: ["dringend"])
        #expect(german.priorityKeywords == ["dringend"])
        // Without it nothing was chosen.
        for draft in [PreferencesDraft(), PreferencesDraft(Preferences(parsing: nil))] {
            #expect(!draft.checkInsEnabled && draft.frequency == .fewTimesAWeek)
        }
    }

    @Test func optIn_whenTheUserChoseBefore_keepsTheChoices() {
        let column = #"{"check_ins_enabled":false,"frequency":"weekly","weekday":2,"priority_keywords":[]}"#
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: column))
        #expect(draft.checkInsEnabled && draft.frequency == .weekly && draft.weekday == 2)
        #expect(draft.priorityKeywords.isEmpty)
    }

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
            let before = column.flatMap { try? JSONValue(parsing: $0) }
            #expect(others["theme"] == before?["theme"], "seed \(seed): \(text)")
            #expect(others["a"] == before?["a"], "seed \(seed): \(text)")
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
            "\"24:00\"", "\"UTC\"", "\"GMT\"", "[]", "[\"a\"]", "[1]", "{}", "\"notify_all\"",
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
            let wasOn = before.malformed == nil && before.checkInsEnabled == true
            #expect(draft.checkInsEnabled == wasOn, "\(seed): \(column)")
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
