import Testing

@testable import Core

/// How often urgent messages are looked for.
@Suite struct ExpressPaceTests {
    @Test func look_whenItIsCheap_isDueAtOnce() {
        var pace = ExpressPace()
        #expect(pace.isDue(at: 0))
        pace.took(asked: 10, answered: 14)
        #expect(pace.isDue(at: 14))
    }

    /// A long transaction elsewhere keeps dead rows at the head of the index.
    @Test func look_whenItIsDear_takesAFifthOfTheTime() {
        var pace = ExpressPace()
        pace.took(asked: 0, answered: 105)
        #expect(!pace.isDue(at: 504) && pace.isDue(at: 505))
    }
}
