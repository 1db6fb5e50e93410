import Fixtures
import FoundationEssentials
import Testing
import TimeZones

@testable import Core

/// Users in hand, and whether their data has changed since the claim.
@Suite struct HandTests {
    private static let now = PlannerFixture.at("2026-11-20T12:00:00Z")

    @Test func changes_whenTheUserIsInHand_areRememberedUntilTheUserIsLetGo() throws {
        let (hand, run) = (Hand(), SweepRun(totals: Monitor(SweepReport())) { _, _, _ in })
        let users = (0..<3).map { _ in PlannerFixture.user(id: UUID()) }
        func take(_ user: ClaimedUser) -> HeldUser? { hand.take(user, member: UUID(), claimedAt: Self.now, run: run) }
        let ids = users.map(\.userID)
        var held = try users.prefix(2).map { try #require(take($0)) }
        #expect(take(users[0]) == nil, "in hand already")
        #expect(hand.changed(among: ids).isEmpty && !hand.isEmpty)
        // Of one who is in hand, and one who is not.
        hand.noteChanged([ids[1], ids[2]])
        #expect(hand.changed(among: ids) == [ids[1]])
        #expect(!hand.hasChanged(ids[0]) && hand.hasChanged(ids[1]) && !hand.hasChanged(ids[2]))
        held.removeLast()
        // The next claim reads the new data.
        held.append(try #require(take(users[1])))
        #expect(!hand.hasChanged(ids[1]))
        held = []
        #expect(hand.isEmpty && hand.users.isEmpty)
    }
}

@Suite struct OpenIntentsTests {
    /// A claim may take users of a whole intent only out of this daemon's hands. Of another one, a promoted standby may
    /// lack a settlement.
    @Test func inHand_whenAUserIsSettled_leavesTheIntentOut() {
        let intents = OpenIntents()
        let (one, other) = (UUID(), UUID())
        intents.open(one)
        intents.open(other)
        #expect(Set(intents.inHand) == [one, other])
        intents.part(one)
        #expect(intents.inHand == [other] && intents.strays(among: [one, other]).isEmpty)
    }

    @Test func strays_whenAFlightIsGone_areTheOthers() {
        let intents = OpenIntents()
        let flight = Flight([], attemptedAt: Instant(seconds: 0), fraction: 0, intents)
        let id = flight.intent
        #expect(withExtendedLifetime(flight) { intents.inHand } == [id])
        let other = Flight([], attemptedAt: Instant(seconds: 0), fraction: 0, intents).intent
        #expect(intents.strays(among: [other]) == [other])
    }
}
