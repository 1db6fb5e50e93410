import NudgedKit
import Testing

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
