import JSON
import NudgedKit
import Seeded
import TestSupport
import Testing

struct PreferencesRoundTripTests {
    @Test(arguments: Seeds.all)
    func draft_whenValid_comesBackAsItWas(seed: UInt64) throws {
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
    @Test(arguments: Seeds.all)
    func draft_whenAnything_isRefusedAsTheDaemonWould(seed: UInt64) {
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
    @Test(arguments: Seeds.all)
    func draft_whenColumnIsAnything_neverOptsIn(seed: UInt64) throws {
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
            #expect(
                after.messagesEnabled == before.messagesEnabled && after.allowUrgent == before.allowUrgent
                    && after.smartEnabled == before.smartEnabled,
                "\(seed): \(column)"
            )
            wellFormed += before.malformed == nil ? 1 : 0
        }
        #expect(wellFormed > 10, "seed \(seed)")
    }
}
