import APNs
import Testing

@testable import Chaos

@Suite struct LedgerTests {
    private static let unsent = PushOutcome.unsent(reason: "goaway")
    private static let refused = PushOutcome.rejected(status: 400, reason: "BadCollapseId", deletes: nil)

    @Test func books_areClean_whenBothSidesAgree() {
        var books = Ledger(span: 8)
        for outcome in [PushOutcome.accepted, .unknown(reason: "x"), Self.unsent, Self.refused] {
            let number = books.send()
            _ = books.asked(number)
            books.answers(number, status: outcome.answeredStatus ?? 0)
            if outcome == .accepted || Ending(outcome) == .unknown { books.log(number) }
            books.end(number, outcome)
        }
        books.close()
        #expect(books.violations.isEmpty)
        #expect(books.endings == [0, 1, 1, 0, 1, 1])
    }

    @Test func lost_isNoted_whenThereIsNoOutcome() {
        var books = Ledger(span: 2)
        for _ in 0..<3 { _ = books.send() }
        #expect(books.examples == [.lost: [1]])
        books.close()
        #expect(books.examples == [.lost: [1, 2, 3]] || books.violations[.lost] == 3)
    }

    @Test func acceptedNotLogged_isNoted_whenAppleHasNothing() {
        var books = Ledger(span: 2)
        let number = books.send()
        books.answers(number, status: 200)
        books.end(number, .accepted)
        #expect(books.violations == [.acceptedNotLogged: 1])
    }

    @Test(arguments: [true, false]) func loggedNotAccepted_isNoted_whenUnsent(logsFirst: Bool) {
        var books = Ledger(span: 2)
        let number = books.send()
        if logsFirst { books.log(number) }
        books.end(number, Self.unsent)
        if !logsFirst { books.log(number) }
        #expect(books.violations == [.loggedNotAccepted: 1])
    }

    @Test func loggedTwice_isNoted_evenWhenUnknown() {
        var books = Ledger(span: 2)
        let number = books.send()
        books.log(number)
        books.end(number, .unknown(reason: "connection_lost"))
        books.log(number)
        #expect(books.violations == [.loggedTwice: 1])
    }

    @Test func resultTwice_isNoted_whenASecondComes() {
        var books = Ledger(span: 2)
        let number = books.send()
        books.end(number, Self.unsent)
        books.end(number, Self.unsent)
        #expect(books.violations == [.resultTwice: 1])
    }

    @Test func wrongStatus_isNoted_whenItDiffers() {
        var books = Ledger(span: 2)
        let number = books.send()
        books.answers(number, status: 410)
        books.end(number, Self.refused)
        #expect(books.violations == [.wrongStatus: 1])
    }

    @Test func stranger_isNoted_whenNobodySentIt() {
        var books = Ledger(span: 2)
        books.log(7)
        #expect(books.violations == [.stranger: 1])
    }
}
