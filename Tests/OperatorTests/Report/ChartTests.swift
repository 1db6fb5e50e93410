import Seeded
import TestSupport
import Testing

@testable import Operator

@Suite struct ChartTests {
    private func chart(_ values: [[Double]], isScaleShared: Bool = true, shades: [ClosedRange<Double>] = []) -> String {
        ColumnChart(
            label: ChartLabel(id: "c", title: "Title & more", summary: "Summary"),
            panels: values.enumerated().map { place, bars in
                Panel(title: "panel \(place)", bars: bars.map { ($0, "value \($0)") })
            },
            marks: [(0, "left"), (0.5, "middle"), (1, "right")],
            shades: shades,
            isScaleShared: isScaleShared,
            panelHeight: 100,
            number: { "\($0)" }
        ).node.markup
    }

    /// The heights of the bars, in order.
    private func heights(_ markup: String) -> [Int] {
        markup.split(separator: "<rect class=\"bar\"").dropFirst().compactMap { part in
            part.firstRange(of: "height=\"").flatMap { Int(part[$0.upperBound...].prefix { $0.isNumber }) }
        }
    }

    @Test func columns_areNamedAndDescribed() {
        let markup = chart([[1]])
        #expect(markup.contains("role=\"img\""))
        #expect(markup.contains("aria-labelledby=\"c-title\" aria-describedby=\"c-desc\""))
        #expect(markup.contains("<title id=\"c-title\">Title &amp; more</title><desc id=\"c-desc\">Summary</desc>"))
    }

    @Test func columns_areAsHighAsTheirValues_acrossPanelsToo() {
        #expect(heights(chart([[10, 5, 0, 0.01]])) == [100, 50, 2])
        #expect(heights(chart([[100], [50]])) == [100, 50])
        #expect(heights(chart([[100], [50]], isScaleShared: false)) == [100, 100])
    }

    @Test func columns_whenAPartIsShaded_hatchItToo() {
        let markup = chart([[1]], shades: [0...0.25])
        #expect(markup.contains("<rect class=\"shade\" x=\"0%\" y=\"34\" width=\"25%\" height=\"100\">"))
        #expect(markup.contains("fill=\"url(#c-hatch)\"") && markup.contains("<pattern id=\"c-hatch\""))
        #expect(!chart([[1]]).contains("pattern"))
    }

    @Test func columns_haveTheirMarksWithinThePicture() {
        let anchors = chart([[1]]).split(separator: "text-anchor=\"").dropFirst(2).map {
            String($0.prefix { $0 != "\"" })
        }
        #expect(anchors == ["start", "middle", "end"])
    }

    @Test func list_isAsLongAsItsValues_andShowsTheLeast() {
        let list = ChartLabel(id: "l", title: "T", summary: "S").list([
            ("most", "1,000", 0...1000), ("half", "500", 0...500), ("few", "1–4", 0...2.5), ("none", "0", 0...0),
            ("between", "300 to 400", 300...400),
        ]).markup
        let widths = list.split(separator: "<rect class=\"bar\"").dropFirst().compactMap { part in
            part.firstRange(of: "width=\"").map { String(part[$0.upperBound...].prefix { $0 != "%" }) }
        }
        #expect(widths == ["60", "30", "0.24", "6"])
        #expect(list.contains("x=\"18%\"") && list.contains("x=\"24%\" dx=\"6\""))
        #expect(list.contains(">few</text>") && list.contains("x=\"60%\" dx=\"6\" y=\"33\">1,000</text>"))
        #expect(list.contains("x=\"0%\" dx=\"0\" y=\"159\">0</text>"))
    }

    @Test func table_headsItsRowsAndColumns_andScrollsByKeyboard() {
        let table = Table("Caption", ["a", "b"], [["x", "1"], ["y", "2"]], sums: ["All", "3"])
        #expect(
            table.folded.markup == """
                <details><summary>As a table: Caption</summary><div class="scroll" role="region" tabindex="0" aria-label="Caption"><table><caption>Caption</caption>\
                <thead><tr><th scope="col">a</th><th scope="col" class="n">b</th></tr></thead><tbody><tr><th scope="row">x</th><td class="n">1</td></tr>\
                <tr><th scope="row">y</th><td class="n">2</td></tr></tbody><tfoot><tr><th scope="row">All</th><td class="n">3</td></tr></tfoot></table></div></details>
                """
        )
    }
}

@Suite struct TicksTests {
    @Test(arguments: [
        (0, [0, 1]), (1, [0, 1]), (3, [0, 2, 4]), (10, [0, 5, 10]), (11, [0, 10, 20]), (1000, [0, 500, 1000]),
        (1001, [0, 1000, 2000]),
    ]) func ticks_whenTwoAreWanted_areRound(greatest: Int, values: [Int]) {
        #expect(Ticks(covering: greatest, wanted: 2).values == values)
    }

    @Test(arguments: Seeds.all) func ticks_whateverTheyCover_beginAtZeroAreEqualAndCoverItClosely(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let greatest = Int.random(in: 0...(1 << Int.random(in: 0...62, using: &generator)), using: &generator)
            let wanted = Int.random(in: 1...8, using: &generator)
            let ticks = Ticks(covering: greatest, wanted: wanted)
            let step = ticks.values[1]
            let values = ticks.values
            #expect(values.first == 0 && values.count <= wanted + 1, "\(greatest) \(wanted): \(values)")
            #expect(zip(ticks.values, ticks.values.dropFirst()).allSatisfy { $1 - $0 == step })
            let bound = min(max(greatest, 1), Int.max / 16)
            #expect(ticks.top >= bound && ticks.top - step < bound, "\(greatest) \(wanted): \(ticks.values)")
            let digits = String(step)
            #expect("125".contains(digits.prefix(1)) && digits.dropFirst().allSatisfy { $0 == "0" })
        }
    }

    @Test func fraction_isWithinTheAxis() {
        let ticks = Ticks(covering: 8, wanted: 2)
        #expect(ticks.top == 10)
        #expect([-1, 0, 5, 10, 11].map(ticks.fraction) == [0, 0, 0.5, 1, 1])
    }
}
