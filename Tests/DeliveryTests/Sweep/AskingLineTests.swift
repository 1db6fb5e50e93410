import Testing

@testable import Core

@Suite struct AskingLineTests {
    /// A line that is driven step by step, and describes its steps as text.
    private final class Driven {
        var line = AskingLine<String>()

        func add(_ user: String, isUrgent: Bool = false, startBy: Int64 = 100, concurrency: Int = 1, now: Int64 = 0)
            -> Bool
        {
            line.add(user, isUrgent: isUrgent, startBy: startBy, concurrency: concurrency, now: now)
        }

        func leave() -> [String] { line.leave() }

        func next(concurrency: Int, now: Int64 = 1) -> String? {
            switch line.next(concurrency: concurrency, now: now) {
            case .ask(let user): "ask \(user)"
            case .putOff(let user): "put off \(user)"
            case nil: nil
            }
        }
    }

    @Test func next_whenSomeAreUrgent_asksThemFirstAndNeverMoreThanMay() {
        let driven = Driven()
        for user in ["a", "b", "urgent", "c"] { #expect(driven.add(user, isUrgent: user == "urgent", concurrency: 2)) }
        #expect(driven.next(concurrency: 2) == "ask urgent" && driven.next(concurrency: 2) == "ask a")
        #expect(driven.next(concurrency: 2) == nil)
        driven.line.end()
        #expect(driven.next(concurrency: 2) == "ask b" && driven.next(concurrency: 2) == nil)
        // A reload allows more.
        #expect(driven.next(concurrency: 3) == "ask c" && driven.next(concurrency: 9) == nil)
    }

    @Test func next_whenSomebodyWaitedTooLong_putsThemOffWithoutAPlace() {
        let driven = Driven()
        #expect(driven.add("late"))
        #expect(driven.add("early", startBy: 200))
        #expect(driven.next(concurrency: 1, now: 100) == "put off late")
        #expect(driven.line.backlog.fullSince == 100)
        #expect(driven.next(concurrency: 1, now: 100) == "ask early")
        #expect(driven.next(concurrency: 1, now: 100) == nil)
    }

    @Test func add_whenAsManyWaitAsMay_refusesAndRemembersSinceWhen() {
        let driven = Driven()
        let most = AskingLine<String>.waitingForEach
        for number in 0..<most { #expect(driven.add("\(number)")) }
        #expect(driven.line.backlog.fullSince == nil)
        #expect(!driven.add("x", now: 3))
        #expect(!driven.add("x", now: 5))
        #expect(driven.line.backlog.fullSince == 3)
        for number in 0..<most { #expect(driven.add("u\(number)", isUrgent: true, now: 6)) }
        #expect(!driven.add("x", isUrgent: true, now: 7))
        #expect(driven.line.backlog.fullSince == 3)
        #expect(driven.leave().count == 2 * most)
        #expect(driven.leave().isEmpty)
        #expect(driven.add("x", now: 8))
        #expect(driven.line.backlog.fullSince == nil)
    }
}
