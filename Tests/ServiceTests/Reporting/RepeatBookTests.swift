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
        let held = RepeatBook.Held(event: Self.event, about: "a", count: 7, seconds: Self.window / 1000)
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
