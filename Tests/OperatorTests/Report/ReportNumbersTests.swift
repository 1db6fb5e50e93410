import Seeded
import Testing
import TestSupport

@testable import Operator

@Suite struct ReportNumbersTests {
    private let exact = ReportNumbers.exact
    private let rounded = ReportNumbers.rounded

    @Test(arguments: [
        (0, "0", "0"), (-3, "0", "0"), (1, "1", "1–4"), (4, "4", "1–4"), (5, "5", "5"), (7, "7", "5"), (8, "8", "10"),
        (12, "12", "10"), (13, "13", "15"), (12_344, "12,344", "12,345"),
        (Int.max, "9,223,372,036,854,775,807", "9,223,372,036,854,775,807"),
    ]) func count_isExactOrRounded(count: Int, exact: String, rounded: String) {
        #expect(self.exact.count(count).text == exact && self.rounded.count(count).text == rounded)
        #expect(self.exact.count(count).value == Double(max(count, 0)))
    }

    /// Any count that is shown stands for at least three.
    @Test func count_whenRounded_standsForSeveral() {
        let shown = Dictionary(grouping: 1...500) { rounded.count($0).text }
        #expect(shown.filter { $0.key != rounded.count(500).text }.allSatisfy { $0.value.count >= 3 })
        #expect(shown["1–4"]?.count == 4 && shown["5"]?.count == 3 && shown["10"]?.count == 5)
        // A bar's length must not be more exact than its text.
        #expect(shown.allSatisfy { Set($0.value.map { rounded.count($0).value }).count == 1 })
    }

    @Test func shares_addUpAndFitTheShownCounts() {
        let exactly: [([Int], [String]?)] = [
            ([9, 3, 0], ["75 %", "25 %", "0 %"]), ([1, 1, 1], ["34 %", "33 %", "33 %"]), ([12], ["100 %"]),
            ([199, 199, 199, 3], ["33 %", "33 %", "33 %", "under 1 %"]), ([99_999, 1], ["over 99 %", "under 1 %"]),
            ([0, 0], nil), ([], nil),
        ]
        // Shown as 10 and 1–4: no share of them can be right.
        let roughly: [([Int], [String]?)] = [
            ([9, 3], nil), ([2, 2], nil), ([396, 3], nil), ([404, 3], ["over 99 %", "under 1 %"]), ([801, 3, 2], nil),
            ([12, 3], nil), ([12, 7], ["67 %", "33 %"]), ([0, 0], nil),
        ]
        for (parts, shares) in exactly { #expect(exact.shares(of: parts) == shares, "\(parts)") }
        for (parts, shares) in roughly { #expect(rounded.shares(of: parts) == shares, "\(parts)") }
    }

    @Test(arguments: Seeds.all) func shares_whateverTheCounts_addUpAndKeepTheirOrder(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let most = generator.pick([10, 100, 1_000_000])
            let parts = (0..<generator.int(1...8)).map { _ in generator.int(0...most) }
            for numbers in [exact, rounded] {
                guard let shares = numbers.shares(of: parts) else { continue }
                let percents = shares.map { Int($0.filter(\.isNumber)) ?? -1 }
                let isTiny = shares.map { $0.hasPrefix("under") }
                let sum = zip(percents, isTiny).reduce(0) { $0 + ($1.1 ? 0 : $1.0) }
                // Tiny parts have what is missing, each less than one per cent.
                let tiny = isTiny.filter { $0 }.count
                #expect(tiny == 0 ? sum == 100 : (99 - tiny...100).contains(sum), "\(parts): \(shares)")
                for (one, first) in parts.enumerated() {
                    #expect((first == 0) == (shares[one] == "0 %"), "\(parts): \(shares)")
                    #expect(shares[one] != "100 %" || parts.reduce(0, +) == first, "\(parts): \(shares)")
                    for (other, second) in parts.enumerated() where first > second && !isTiny[one] && !isTiny[other] {
                        // Of counts that are shown as equal, the first may have the larger share.
                        if numbers.count(first) == numbers.count(second) { continue }
                        #expect(percents[one] >= percents[other], "\(parts): \(shares)")
                    }
                }
            }
        }
    }
}
