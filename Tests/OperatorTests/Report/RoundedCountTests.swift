import Testing

@testable import Operator

@Suite struct RoundedCountTests {
    @Test(arguments: [
        (0, "0"), (-3, "0"), (1, "1–4"), (4, "1–4"), (5, "5"), (7, "5"), (8, "10"), (12, "10"), (13, "15"),
        (12_344, "12,345"), (Int.max, "9,223,372,036,854,775,807"),
    ])
    func count_isRounded(count: Int, words: String) {
        #expect(RoundedCount(count).words == words)
    }

    /// Any count that is shown stands for at least three.
    @Test func count_howeverItIsShown_standsForSeveral() {
        let shown = Dictionary(grouping: 1...500) { RoundedCount($0).words }
        #expect(shown.filter { $0.key != RoundedCount(500).words }.allSatisfy { $0.value.count >= 3 })
        #expect(shown["1–4"]?.count == 4 && shown["5"]?.count == 3 && shown["10"]?.count == 5)
        // A bar's length must not be more exact than its text.
        #expect(shown.allSatisfy { Set($0.value.map { RoundedCount($0).value }).count == 1 })
    }

    @Test func share_isOfWhatIsShown() {
        let all = RoundedCount(1000)
        #expect(RoundedCount(501).share(of: all) == "50 %" && RoundedCount(1).share(of: all) == "under 1 %")
        #expect(RoundedCount(0).share(of: all) == "0 %" && RoundedCount(3).share(of: RoundedCount(4)) == "")
        #expect(RoundedCount(1000).share(of: RoundedCount(998)) == "100 %")
    }
}
