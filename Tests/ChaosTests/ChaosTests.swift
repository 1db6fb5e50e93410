import APNs
import TestSupport
import Testing

@testable import Chaos

/// A comparison that can't fail is worthless: it must find each violation.
@Suite struct LedgerTests {
    private static let unsent = PushOutcome.unsent(reason: "goaway")
    private static let refused = PushOutcome.rejected(status: 400, reason: "BadCollapseId", deletes: nil)

    private static func violations(_ spoil: (inout Ledger, UInt64) -> Void) -> [Violation: Int] {
        var books = Ledger(span: 8)
        let number = books.send()
        spoil(&books, number)
        books.close()
        return books.violations
    }

    @Test func books_whenBothSidesAgree_areClean() {
        for outcome in [PushOutcome.accepted, .unknown(reason: "x"), Self.unsent, Self.refused] {
            let found = Self.violations { books, number in
                _ = books.asked(number)
                books.answers(number, status: outcome.answeredStatus ?? 0)
                if outcome == .accepted || Ending(outcome) == .unknown { books.log(number) }
                books.end(number, outcome)
            }
            #expect(found.isEmpty, "\(outcome)")
        }
    }

    @Test func books_whenTheyDiffer_sayHow() {
        #expect(Self.violations { _, _ in } == [.lost: 1])
        let notLogged = Self.violations { books, number in
            books.answers(number, status: 200)
            books.end(number, .accepted)
        }
        #expect(notLogged == [.acceptedNotLogged: 1])
        for logsFirst in [true, false] {
            let notAccepted = Self.violations { books, number in
                if logsFirst { books.log(number) }
                books.end(number, Self.unsent)
                if !logsFirst { books.log(number) }
            }
            #expect(notAccepted == [.loggedNotAccepted: 1])
        }
        let twice = Self.violations { books, number in
            books.log(number)
            books.end(number, .unknown(reason: "connection_lost"))
            books.log(number)
            books.end(number, .unknown(reason: "connection_lost"))
            books.log(7)
        }
        #expect(twice == [.loggedTwice: 1, .resultTwice: 1, .stranger: 1])
        let wrong = Self.violations { books, number in
            books.answers(number, status: 410)
            books.end(number, Self.refused)
        }
        #expect(wrong == [.wrongStatus: 1])
    }
}

@Suite(.ownThreads) struct RunTests {
    @Test func run_isClean_whenItIsShort() async throws {
        let run = try ChaosRun(seed: Seeds.extra, seconds: 3, rate: 300)
        let report = await run.run()
        // Memory and descriptors belong to the whole process, which runs other tests too. Only the command checks them.
        let broken = report.books.violations.filter { $0.key != .growth }
        #expect(broken.isEmpty, "\(report.line)")
        #expect(report.books.sent == 900)
        #expect(report.books.logged > 0, "\(report.line)")
    }
}
