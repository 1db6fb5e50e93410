import Testing

@testable import Faults

/// A comparison that can't fail is worthless. So each breach is put into good data, and must be found alone.
@Suite struct BookCheckTests {
    private static let user = "00000001-0000-4000-8000-000000000001"
    private static let noon: Int64 = 1_750_000_000_000

    /// Two users, three devices, everything as it should be.
    private static func good() -> Books {
        var books = Books()
        var first = FaultRecipient(id: user)
        first.devices = [Addressee(token: "aa", registeredAt: 100), Addressee(token: "bb", registeredAt: 100)]
        first.zone = "UTC"
        first.quiet = FaultRecipient.Quiet(start: 22 * 60, end: 8 * 60)
        first.maxPerDay = 2
        first.sent = [noon / 1000 - 7200]
        var second = FaultRecipient(id: "00000002-0000-4000-8000-000000000002")
        second.devices = [Addressee(token: "cc", registeredAt: 100, answer: .gone(since: 200))]
        let third = FaultRecipient(id: "00000003-0000-4000-8000-000000000003")
        books.people = [first, second, third]
        books.hashes = ["aa": "ha", "bb": "hb", "cc": "hc"]
        books.due = [Books.Due(user: user, key: "2026-01-01"), Books.Due(user: second.id, key: "2026-01-01")]
        books.accepted = [
            Books.Accepted(token: "aa", apnsID: "ida", at: noon, localMinute: 720),
            Books.Accepted(token: "bb", apnsID: "idb", at: noon, localMinute: 720),
        ]
        books.record = [
            row(user, "ha", "ida", "accepted"), row(user, "hb", "idb", "accepted"),
            row(second.id, "hc", "idc", "rejected"),
        ]
        books.tokensLeft = ["aa", "bb"]
        books.answeredGone = ["cc"]
        return books
    }

    private static func row(_ user: String, _ hash: String, _ id: String, _ outcome: String, kind: String = "check_in")
        -> Books.Recorded
    {
        Books.Recorded(user: user, kind: kind, key: "2026-01-01", deviceHash: hash, apnsID: id, outcome: outcome)
    }

    private static func check(_ allowance: Allowance = Allowance(), _ spoil: (inout Books) -> Void) -> [Breach: Int] {
        var books = good()
        spoil(&books)
        return BookCheck(books, allowing: allowance).found.mapValues(\.count)
    }

    /// The row of the device that got nothing. A push that was deferred must come back, and a skipped slot is no loss.
    private static let losses: [(Books.Recorded?, [Breach: Int])] = [
        (nil, [.lost: 1]), (row(user, "hb", "idb", "deferred"), [.lost: 1]), (row(user, "", "", "skipped"), [:]),
    ]

    @Test(arguments: losses) func check_whenADeviceGotNothing_saysLost(row: Books.Recorded?, found: [Breach: Int]) {
        let check = Self.check { books in
            books.accepted.removeLast()
            books.record.replaceSubrange(1...1, with: [row].compactMap { $0 })
        }
        #expect(check == found)
    }

    @Test func check_whenOneSlotCameTwice_saysDoubled() {
        #expect(Self.check { $0.accepted.append($0.accepted[0]) } == [.doubled: 1])
        let underTwoIDs = Self.check { books in
            books.accepted.append(Books.Accepted(token: "aa", apnsID: "other", at: Self.noon + 5, localMinute: 720))
            books.record.append(Self.row(Self.user, "ha", "other", "accepted"))
        }
        #expect(underTwoIDs == [.doubled: 1])
    }

    @Test func check_whenAMessageIsUnknown_mayComeTwiceAndNotThrice() {
        func times(_ count: Int) -> [Breach: Int] {
            Self.check(Allowance(openAtKill: ["ida"])) { books in
                books.due[0].kind = "message"
                books.record[0] = Self.row(Self.user, "ha", "ida", "unknown", kind: "message")
                books.record[1].kind = "message"
                for _ in 1..<count { books.accepted.append(books.accepted[0]) }
            }
        }
        #expect(times(2) == [:] && times(3) == [.doubled: 1])
    }

    @Test func check_findsEachBreachAlone() {
        #expect(Self.check { _ in } == [:], "the books agree")
        // More than the cap.
        #expect(Self.check { $0.people[0].sent.append(Self.noon / 1000 - 60) } == [.overLimit: 1])
        // A day ago to the second, it has left the window.
        #expect(Self.check { $0.people[0].sent.append(Self.noon / 1000 - 86_400) } == [:])
        #expect(Self.check { $0.people[0].maxPerHour = 1 } == [:])
        // A token is gone without a 410.
        #expect(Self.check { $0.tokensLeft = ["aa"] } == [.wronglyDeleted: 1])
        // Apple was never asked about it.
        #expect(Self.check { $0.answeredGone = [] } == [.wronglyDeleted: 1])
        // It registered again after the instant that Apple named.
        #expect(Self.check { $0.people[1].devices[0].registeredAt = 300 } == [.wronglyDeleted: 1])
        // An intent of the killed is not unknown.
        #expect(Self.check(Allowance(openAtKill: ["ida"])) { _ in } == [.notUnknown: 1])
        // The record and Apple disagree.
        #expect(Self.check { $0.record[0].outcome = "rejected" } == [.misrecorded: 1])
        #expect(Self.check { $0.accepted.removeLast() } == [.misrecorded: 1, .lost: 1])
        #expect(Self.check { $0.open = ["ida"] } == [.leftOpen: 1])
        #expect(Self.check { $0.left = [Self.user] } == [.leftDue: 1])
    }

    @Test(arguments: [(22 * 60, true), (479, true), (480, false), (22 * 60 - 1, false)])
    func check_whenAPushCameInTheNight_saysQuiet(minute: Int, isQuiet: Bool) {
        let found = Self.check { $0.accepted[0].localMinute = minute }
        #expect(found == (isQuiet ? [.quiet: 1] : [:]))
    }

    @Test func check_whenMoreIsUnknownThanWasOpen_saysSo() {
        #expect(Self.check { $0.record[0].outcome = "unknown" } == [.unknownBeyond: 1])
        var allowance = Allowance(openAtKill: ["idb"])
        #expect(Self.check(allowance) { $0.record[1].outcome = "unknown" } == [:])
        #expect(Self.check(allowance) { $0.record[0].outcome = "unknown" } == [.unknownBeyond: 1, .notUnknown: 1])
        allowance = Allowance(stoodStill: ["idb"])
        #expect(Self.check(allowance) { _ in } == [:])
        #expect(Self.check(allowance) { $0.record[1].outcome = "unknown" } == [:])
        #expect(Self.check(allowance) { $0.record[0].outcome = "unknown" } == [.unknownBeyond: 1])
        #expect(Self.check(Allowance(further: 1)) { $0.record[0].outcome = "unknown" } == [:])
    }

    @Test func check_whenSomebodyGotWhatWasNotDue_saysSo() {
        #expect(Self.check { $0.due.removeFirst() } == [.notDue: 2])
        #expect(Self.check { $0.people[0].devices[1].platform = "android" } == [.notDue: 1])
        // At a border both answers are right.
        let found = Self.check { books in
            (books.due[0].isCertain, books.accepted) = (false, [])
            books.record.removeFirst(2)
        }
        #expect(found == [:])
    }
}
