import Systemd
import Testing

@testable import Daemon

@Suite struct RepeatBookTests {
    private static let event = Event.pushRejected
    private static let lines = event.repeats?.lines ?? 0
    private static let window = (event.repeats?.seconds ?? 0) * 1000

    private func admit(_ book: inout RepeatBook, _ about: String, _ now: Int64) -> Bool {
        book.admit(Self.event, about: about, now: now).isSaid
    }

    @Test func line_whenRepeated_isSaidAFewTimesAndThenCounted() {
        var book = RepeatBook()
        for number in 0..<Self.lines { #expect(admit(&book, "a", Int64(number))) }
        for number in 0..<7 { #expect(!admit(&book, "a", Int64(100 + number))) }
        // Another kind of the same event, and an event without a limit.
        #expect(admit(&book, "b", 200))
        #expect((0..<100).allSatisfy { _ in book.admit(.sweep, about: "", now: 300).isSaid })
        #expect(book.ended(now: Self.window - 1) == [])
        let held = [RepeatBook.Held(event: Self.event, about: "a", count: 7, seconds: Self.window / 1000)]
        #expect(book.ended(now: Self.window) == held)
        #expect(book.ended(now: Self.window) == [] && book.endAll() == [])
        #expect(admit(&book, "a", Self.window))
    }

    @Test func count_whenTheNextLineComesFirst_isToldBeforeIt() {
        var book = RepeatBook()
        for _ in 0..<(Self.lines + 3) { _ = admit(&book, "a", 0) }
        let (isSaid, before) = book.admit(Self.event, about: "a", now: Self.window)
        #expect(isSaid && before.map(\.count) == [3])
        #expect(book.endAll() == [])
    }

    @Test func count_whenKindsAreTooMany_isToldAndNotForgotten() {
        var book = RepeatBook()
        for _ in 0..<(Self.lines + 2) { _ = admit(&book, "first", 0) }
        var told: [RepeatBook.Held] = []
        for number in 0..<RepeatBook.most { told += book.admit(Self.event, about: "\(number)", now: 1).before }
        #expect(told.map(\.count) == [2])
    }
}
