import Systemd
import Testing

@testable import Service

@Suite struct DatabaseMoodTests {
    private enum Step {
        case failed(Event, String)
        case told
        case answered
    }

    /// Plays steps, a second each: what was news, what was away for how long, and nil where nothing is said.
    private func play(_ steps: [Step]) -> [String?] {
        var mood = DatabaseMood()
        return steps.enumerated().map { second, step in
            let now = Int64(second) * 1000
            switch step {
            case .failed(let event, let text): return mood.failed(event, text, now: now) ? text : nil
            case .told:
                mood.told()
                return nil
            case .answered:
                defer { #expect(mood.trouble == nil) }
                return mood.answered(now: now).map { "away \($0)" }
            }
        }
    }

    @Test func trouble_isNewsOnceAndSaysHowLongItLasted() {
        let said = play([
            .answered, .failed(.databaseLost, "refused"), .told,
            // Another text for the same state is shown in the status, but not as a line.
            .failed(.databaseLost, "starting up"), .failed(.databaseRefused, "password"), .answered, .answered,
        ])
        #expect(said == [nil, "refused", nil, nil, "password", "away 4000", nil])
    }

    @Test func trouble_whenItsLineWasKeptBack_endsWithoutALine() {
        #expect(play([.failed(.databaseBusy, "lock"), .answered]) == ["lock", nil])
    }

    @Test func trouble_whenItsTextChanges_isToldByTheStatus() {
        var mood = DatabaseMood()
        _ = mood.failed(.databaseLost, "refused", now: 0)
        _ = mood.failed(.databaseLost, "starting up", now: 1)
        #expect(mood.trouble == "starting up")
    }

    @Test func schema_whenItsTextChanges_isNews() {
        let (two, one) = (Step.failed(.migrationsMissing, "2"), Step.failed(.migrationsMissing, "1"))
        #expect(play([two, two, one]) == ["2", nil, "1"])
    }
}
