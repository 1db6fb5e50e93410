import Systemd
import Testing

@testable import Service

@Suite struct RepeatBookTests {
    private static let event = Event.pushRejected
    private static let lines = event.repeats?.lines ?? 0
    private static let window = (event.repeats?.seconds ?? 0) * 1000

    /// How many of so many lines are said.
    private func said(_ book: inout RepeatBook, _ about: String, _ count: Int, now: Int64) -> Int {
        (0..<count).count { _ in book.admit(Self.event, about: about, now: now).isSaid }
    }

    @Test func line_whenRepeated_isSaidAFewTimesAndThenCounted() {
        var book = RepeatBook()
        let first = said(&book, "a", Self.lines + 7, now: 0)
        let other = said(&book, "b", 1, now: 200)
        #expect(first == Self.lines && other == 1)
        let unlimited = (0..<100).count { _ in book.admit(.sweep, about: "", now: 300).isSaid }
        #expect(unlimited == 100)
        let (early, late, again) = (book.ended(now: Self.window - 1), book.ended(now: Self.window), book.endAll())
        let held = RepeatBook.Held(event: Self.event, about: "a", count: 7)
        #expect(early == [] && late == [held] && again == [])
        let next = said(&book, "a", Self.lines + 1, now: Self.window)
        #expect(next == Self.lines)
    }

    @Test func count_whenTheNextLineComesFirst_isToldBeforeIt() {
        var book = RepeatBook()
        _ = said(&book, "a", Self.lines + 3, now: 0)
        let (isSaid, before) = book.admit(Self.event, about: "a", now: Self.window)
        let rest = book.endAll()
        #expect(isSaid && before.map(\.count) == [3] && rest == [])
    }

    @Test func count_whenKindsAreTooMany_isToldAndNotForgotten() {
        var book = RepeatBook()
        _ = said(&book, "first", Self.lines + 2, now: 0)
        let told = (0..<RepeatBook.most).flatMap { book.admit(Self.event, about: "\($0)", now: 1).before }
        #expect(told.map(\.count) == [2])
    }
}

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
        // Its line was kept back, so it ends without one.
        #expect(play([.failed(.databaseBusy, "lock"), .answered]) == ["lock", nil])
        // Another text of the schema's is news.
        let (two, one) = (Step.failed(.migrationsMissing, "2"), Step.failed(.migrationsMissing, "1"))
        #expect(play([two, two, one]) == ["2", nil, "1"])
    }

    @Test func trouble_whenItsTextChanges_isToldByTheStatus() {
        var mood = DatabaseMood()
        _ = mood.failed(.databaseLost, "refused", now: 0)
        _ = mood.failed(.databaseLost, "starting up", now: 1)
        #expect(mood.trouble == "starting up")
    }
}

@Suite struct DeviceNamesTests {
    @Test func name_isStableAndSaysNothingWithoutTheKey() {
        let (one, other) = (DeviceNames(secret: "key one"), DeviceNames(secret: "key two"))
        let hash = "0123456789abcdef"
        #expect(one.name(hash) == DeviceNames(secret: "key one").name(hash))
        #expect(one.name(hash) != other.name(hash))
        #expect(one.name(hash) != one.name("0123456789abcdee"))
        #expect(one.name(hash).utf8.count == 12 && one.name(hash).allSatisfy(\.isHexDigit))
        #expect(!one.name(hash).contains(hash.prefix(8)))
    }
}
