import Testing

@testable import HTML

@Suite struct ChartTests {
    private func chart(_ values: [[Double]], isScaleShared: Bool = true, shades: [ColumnChart.Shade] = []) -> String {
        ColumnChart(
            id: "c",
            title: "Title & more",
            summary: "Summary",
            panels: values.enumerated().map { place, bars in
                Panel("panel \(place)", bars.map { Panel.Bar($0, "value \($0)") })
            },
            marks: [ColumnChart.Mark(0, "left"), ColumnChart.Mark(0.5, "middle"), ColumnChart.Mark(1, "right")],
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
        #expect(
            markup.contains("role=\"img\"")
                && markup.contains("aria-labelledby=\"c-title\" aria-describedby=\"c-desc\"")
        )
        #expect(markup.contains("<title id=\"c-title\">Title &amp; more</title><desc id=\"c-desc\">Summary</desc>"))
    }

    @Test func columns_areAsHighAsTheirValues_fromZero() {
        #expect(heights(chart([[10, 5, 0, 0.01]])) == [100, 50, 2])
    }

    @Test func columns_whenTheScaleIsShared_compareAcrossPanels() {
        #expect(heights(chart([[100], [50]])) == [100, 50])
        #expect(heights(chart([[100], [50]], isScaleShared: false)) == [100, 100])
    }

    @Test func columns_whenAPartIsShaded_hatchItToo() {
        let markup = chart([[1]], shades: [ColumnChart.Shade(0...0.25)])
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
        let list = BarList(
            id: "l",
            title: "T",
            summary: "S",
            lines: [
                .init("most", "1,000", 1000), .init("half", "500", 500), .init("few", "1–4", 2.5),
                .init("none", "0", 0),
            ]
        ).node.markup
        let widths = list.split(separator: "<rect class=\"bar\"").dropFirst().compactMap { part in
            part.firstRange(of: "width=\"").map { String(part[$0.upperBound...].prefix { $0 != "%" }) }
        }
        #expect(widths == ["60", "30", "0.24"])
        #expect(list.contains(">few</text>") && list.contains("x=\"60%\" dx=\"6\" y=\"33\">1,000</text>"))
        #expect(list.contains("x=\"0%\" dx=\"0\" y=\"159\">0</text>"))
    }

    @Test func table_headsItsRowsAndColumns_andScrollsByKeyboard() {
        let table = Table("Caption", [.text("a"), .number("b")], [["x", "1"], ["y", "2"]], sums: ["All", "3"]).folded
        #expect(
            table.markup == """
                <details><summary>As a table: Caption</summary><div class="scroll" role="region" tabindex="0" aria-label="Caption"><table><caption>Caption</caption>\
                <thead><tr><th scope="col">a</th><th scope="col" class="n">b</th></tr></thead><tbody><tr><th scope="row">x</th><td class="n">1</td></tr>\
                <tr><th scope="row">y</th><td class="n">2</td></tr></tbody><tfoot><tr><th scope="row">All</th><td class="n">3</td></tr></tfoot></table></div></details>
                """
        )
    }
}
