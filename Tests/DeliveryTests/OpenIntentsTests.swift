import FoundationEssentials
import Testing
import TimeZones

@testable import Core

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
        #expect(intents.inHand == [other])
        #expect(intents.strays(among: [one, other]).isEmpty)
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
