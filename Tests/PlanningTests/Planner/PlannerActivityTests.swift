import APNs
import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// Users who get fewer check-ins: over many users, and over a year.
@Suite struct PlannerActivityTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    /// 10:00 in Tokyo, when the check-in is due.
    private let slot = F.at("2026-11-20T01:00:00Z")

    @Test func checkIn_whenTheUserIsHeldOut_isSkipped() throws {
        let planner = F.planner(Rules { $0.holdoutPercent = 50 })
        var heldOut = 0
        for number: UInt8 in 0..<200 {
            let plan = planner.plan(F.user(id: M.id(number)), now: slot)
            if plan.sendPlan == nil { heldOut += plan.records.map(\.reason) == ["holdout"] ? 1 : 0 }
        }
        #expect((80...120).contains(heldOut))
        // The others are the same users under a smaller percentage, so a change of it moves few.
        let message = F.user(messages: [M.message(1)])
        #expect(planner.plan(message, now: slot).sendPlan != nil)
    }

    // MARK: A year

    /// The check-ins of a year, of a daily user whom the app sees after every so many of them, ten minutes later.
    private func year(backOffAfter: Int64, seenEvery: Int?) throws -> [Instant] {
        let planner = F.planner(Rules { $0.backOffAfter = backOffAfter })
        var user = F.user()
        var now = slot
        var sent: [Instant] = []
        while now < slot + 365 * 86_400 {
            switch planner.plan(user, now: now) {
            case .nothing(let change, _, _): user = user.settled(change)
            case .send(let plan, _):
                user = user.settled(planner.settle(plan, outcomes: [.accepted], attemptedAt: now, now: now))
                sent.append(now)
                if let seenEvery, sent.count.isMultiple(of: seenEvery) {
                    // A touch, as `nudged.note_seen` writes it if the user ignored some.
                    var values = user.values
                    values.seen = now + 600
                    if values.ignored > 0 { values.dueAt = (now + 600).microseconds }
                    user = ClaimedUser(values)
                }
            case .unreadable(let error): throw error
            }
            now = max(now + 1, Instant(microseconds: user.dueAt) ?? now + 86_400)
        }
        return sent
    }

    /// Daily until five are ignored, then every few days until ten, then weekly until fifteen, then none.
    @Test func year_ofAUserWhoNeverOpens_endsInSilence() throws {
        let sent = try year(backOffAfter: 5, seenEvery: nil)
        #expect(sent.count == 15)
        let days = zip(sent, sent.dropFirst()).map { ($1 - $0) / 86_400 }
        #expect(days.prefix(4) == [1, 1, 1, 1] && days[4...8].allSatisfy { (2...5).contains($0) }, "\(days)")
        #expect(days[9...].allSatisfy { (4...11).contains($0) } && days[11...].allSatisfy { $0 == 7 }, "\(days)")
    }

    /// Fewer after the fifth, and daily again after each tenth.
    @Test func year_ofAUserWhoOpensEveryTenth_goesOn() throws {
        let sent = try year(backOffAfter: 5, seenEvery: 10)
        let days = zip(sent, sent.dropFirst()).map { ($1 - $0) / 86_400 }
        let rounds = stride(from: 0, to: days.count - 10, by: 10).map { Array(days[$0..<$0 + 10]) }
        #expect(rounds.count > 15 && rounds.allSatisfy { $0.prefix(4) == [1, 1, 1, 1] }, "\(days)")
        let patient = try year(backOffAfter: 11, seenEvery: 10)
        #expect(patient.count == 365, "one who opens every tenth keeps theirs")
    }
}
