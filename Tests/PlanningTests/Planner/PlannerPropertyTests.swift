import Fixtures
import Policy
import Core
import TestSupport
import Testing
import TimeZones

/// Random users with random outcomes, crashes and changes, over six weeks with the autumn's change of clocks in them.
@Suite struct PlannerPropertyTests {
    typealias F = PlannerFixture
    private static let start = F.at("2026-10-01T00:00:00Z")
    private static let end = F.at("2026-11-15T00:00:00Z")
    private static let rules: [Rules] = [
        .defaults, Rules { $0.maxStalenessMinutes = 2880 },
        Rules { ($0.maxStalenessMinutes, $0.maxPerHour, $0.maxPerDay) = (600, 1, 2) },
    ]

    @Test(arguments: 0..<3) func anyUser_whenSteppedThroughWeeks_keepsThePromises(kind: Int) {
        let planner = F.planner(Self.rules[kind])
        let seed = Seeds.extra
        print("seed \(seed), rules \(kind)")
        var sends = 0
        for index in 0..<150 {
            let own = seed &+ UInt64(index)
            var user = SimulatedUser(seed: own, planner: planner, start: Self.start, changes: index % 2 == 0)
            user.live(until: Self.end)
            #expect(user.faults.isEmpty, "seed \(seed), user \(index), rules \(kind): \(user.faults.prefix(3))")
            // A wait of a second is for pushes that could not be written; nobody is asked in a loop.
            let idle = "\(user.idleSteps) idle of \(user.steps) steps"
            #expect(user.idleSteps < 45 * 12, "seed \(seed), user \(index): \(idle)")
            if index % 2 == 1, kind == 0 { checkRecord(user, seed: seed, index: index) }
            sends += user.sends
        }
        #expect(sends > 150 * 20)
    }

    /// Daily, and nothing changed: each date's slot is in the record, and every device that was put off has an end.
    private func checkRecord(_ user: SimulatedUser, seed: UInt64, index: Int) {
        let final = user.records.filter { $0.outcome != .deferred }
        let slots = Set(final.map(\.key))
        var date = F.date("2026-10-03")
        while date < F.date("2026-11-12") {
            #expect(slots.contains(date.iso), "seed \(seed), user \(index): nothing is known of \(date.iso)")
            date = date + 1
        }
        let ends = Set(final.map { "\($0.key) \($0.deviceHash)" })
        for put in user.records where put.outcome == .deferred && put.key < "2026-11-12" {
            let ended = ends.contains("\(put.key) \(put.deviceHash)") || ends.contains("\(put.key) ")
            #expect(ended, "seed \(seed), user \(index): \(put.key) was put off and has no end")
        }
        let skipped = user.records.filter { $0.outcome == .skipped && $0.deviceHash.isEmpty }
        #expect(Set(skipped.map(\.key)).count == Set(skipped.map { "\($0.key) \($0.attemptedAt)" }).count)
    }
}
