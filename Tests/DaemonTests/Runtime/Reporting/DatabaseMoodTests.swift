import Systemd
import Testing

@testable import Daemon

@Suite struct DatabaseMoodTests {
    @Test func trouble_isNewsOnceAndSaysHowLongItLasted() {
        var mood = DatabaseMood()
        #expect(mood.answered(now: 0) == nil)
        #expect(mood.failed(.databaseLost, "connection refused", now: 1_000))
        mood.told()
        // Another word for the same standing is for the status, not for a line.
        #expect(!mood.failed(.databaseLost, "starting up", now: 2_000))
        #expect(mood.trouble == "starting up")
        #expect(mood.failed(.databaseRefused, "wrong password", now: 3_000))
        #expect(mood.answered(now: 9_000) == 8_000)
        #expect(mood.trouble == nil && mood.answered(now: 9_000) == nil)
    }

    @Test func trouble_whenItsLineWasKeptBack_endsWithoutALine() {
        var mood = DatabaseMood()
        #expect(mood.failed(.databaseBusy, "lock", now: 0))
        #expect(mood.answered(now: 1) == nil && mood.trouble == nil)
    }

    @Test func schema_whenItsWordsChange_isNews() {
        var mood = DatabaseMood()
        #expect(mood.failed(.migrationsMissing, "2 are pending", now: 0))
        #expect(!mood.failed(.migrationsMissing, "2 are pending", now: 1))
        #expect(mood.failed(.migrationsMissing, "1 is pending", now: 2))
    }
}
