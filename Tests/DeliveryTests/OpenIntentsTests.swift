import FoundationEssentials
import Testing

@testable import Core

@Suite struct OpenIntentsTests {
    /// A claim may take users of a whole intent only out of this daemon's hands. Of another one, a promoted standby may
    /// lack a settlement.
    @Test func inHand_whenAUserIsSettled_leavesTheIntentOut() {
        let intents = OpenIntents()
        let (one, other) = (intents.open(), intents.open())
        #expect(Set(intents.inHand) == [one.id, other.id])
        one.part()
        #expect(intents.inHand == [other.id])
        #expect(intents.strays(among: [one.id, other.id]).isEmpty)
        withExtendedLifetime((one, other)) {}
    }

    @Test func strays_whenAnIntentIsClosed_areTheOthers() {
        let intents = OpenIntents()
        let closed = intents.open().id
        #expect(intents.strays(among: [closed]) == [closed] && intents.inHand.isEmpty)
    }
}
