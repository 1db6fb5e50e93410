struct ChartLabel: Sendable {
    /// An HTML id, unique on the page. The ids inside the SVG begin with it.
    let id: String
    let title: String
    let summary: String

    /// One inline SVG. With percentages and no view box it fills any page, and its text keeps the page's size. Screen
    /// readers skip the parts: there are hundreds, and the table has the numbers.
    func picture(height: Int, _ parts: [Node]) -> Node {
        let attributes: Attributes = [
            "class": "chart", "role": "img", "width": "100%", "height": height, "aria-labelledby": "\(id)-title",
            "aria-describedby": "\(id)-desc",
        ]
        let texts = [
            Node("title", ["id": "\(id)-title"], text: title), Node("desc", ["id": "\(id)-desc"], text: summary),
        ]
        return Node("svg", attributes, texts + [Node("g", ["aria-hidden": "true"], parts)])
    }
}

/// A share of the whole width, such as `12.5%`, rounded to a thousandth of a per cent.
func percent(_ fraction: Double) -> String {
    let text = "\((min(max(fraction, 0), 1) * 100_000).rounded() / 1000)"
    return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)%"
}

extension ChartLabel {
    /// One bar: the name above it (a phone's screen has room for 44 letters), its number as text (a third of a phone's
    /// width), and where it begins and ends. All bars share one unit. If it ends at 0, no bar is drawn.
    typealias Line = (name: String, number: String, range: ClosedRange<Double>)

    func list(_ lines: [Line]) -> Node {
        let height = 42
        let longest = max(lines.map(\.range.upperBound).max() ?? 0, 1)
        let drawn = lines.enumerated().map { Self.draw($1, top: $0 * height, longest: longest) }
        return picture(height: lines.count * height, drawn)
    }

    private static func draw(_ line: Line, top: Int, longest: Double) -> Node {
        let room = 0.6
        let start = line.range.lowerBound / longest * room
        // A small count among millions must stay visible.
        let length = max((line.range.upperBound - line.range.lowerBound) / longest, 0.004) * room
        let end = line.range.upperBound > 0 ? start + length : 0
        let box: Attributes = ["x": percent(start), "y": top + 22, "width": percent(length), "height": 12]
        let place: Attributes = ["class": "number", "x": percent(end), "dx": end > 0 ? 6 : 0, "y": top + 33]
        let name = Node("text", ["class": "name", "x": 0, "y": top + 16], text: line.name)
        let bar = end > 0 ? [Node("rect", ["class": "bar"] + box)] : []
        return Node("g", [name] + bar + [Node("text", place, text: line.number)])
    }
}

/// A row of bars over an axis that other panels share. It shows one measure over time or over the hours of a day.
struct Panel {
    /// A bar's height, in a unit that all share, and its tooltip, such as `14:00: 120`. 0: no bar is drawn.
    typealias Bar = (value: Double, text: String)

    /// What the bars count, shown in the upper left corner. Empty if the chart's title says it.
    let title: String
    let bars: [Bar]
    var paint: StaticString = "bar"

    var greatest: Int { Int((bars.map(\.value).max() ?? 0).rounded(.up)) }
}

struct ColumnChart {
    /// A label of the horizontal axis, at a position from 0 to 1. A label gets a fifth of a phone's width.
    typealias Mark = (at: Double, text: String)

    let label: ChartLabel
    let panels: [Panel]
    let marks: [Mark]
    /// Parts of the axis, from 0 to 1, that are shaded and hatched behind the bars.
    var shades: [ClosedRange<Double>] = []
    var isScaleShared = true
    let panelHeight: Int
    let number: (Int) -> String

    /// Pixels above a panel's bars, for its title and the number at the top.
    private static let head = 34
    private static let foot = 24

    var node: Node {
        let height = panels.count * (Self.head + panelHeight) + Self.foot
        let shared = isScaleShared ? panels.map(\.greatest).max() : nil
        let drawn = panels.enumerated().map { place, panel in
            let bottom = (place + 1) * (Self.head + panelHeight)
            return draw(panel, bottom: bottom, Ticks(covering: shared ?? panel.greatest, wanted: 2))
        }
        let parts = (shades.isEmpty ? [] : [hatch]) + drawn + marks.map { draw($0, height: height) }
        return label.picture(height: height, parts)
    }

    /// A hatch as well as a tint: a printer may drop the tint.
    private var hatch: Node {
        let size: Attributes = ["width": 8, "height": 8, "patternUnits": "userSpaceOnUse"]
        let line = Node("path", ["class": "hatch", "d": "M-2 10L10 -2M4 10L10 4M-2 4L4 -2"])
        return Node("defs", [Node("pattern", ["id": "\(label.id)-hatch"] + size, [line])])
    }

    private func draw(_ panel: Panel, bottom: Int, _ ticks: Ticks) -> Node {
        let top = bottom - panelHeight
        var parts: [Node] = shades.flatMap { shade -> [Node] in
            let classes: [Attributes] = [["class": "shade"], ["class": "hatched", "fill": "url(#\(label.id)-hatch)"]]
            return classes.map { Node("rect", $0 + box(shade.lowerBound, shade.upperBound, top, panelHeight)) }
        }
        parts += ticks.values.map { tick -> Node in
            let y = bottom - Int((ticks.fraction(Double(tick)) * Double(panelHeight)).rounded())
            return Node("line", ["class": tick == 0 ? "axis" : "grid", "x1": 0, "x2": "100%", "y1": y, "y2": y])
        }
        for (place, bar) in panel.bars.enumerated() where bar.value > 0 {
            let width = 1 / Double(panel.bars.count)
            // 8 % of a bar's width stays free on each side. With two pixels, a small value is visible.
            let (left, right) = ((Double(place) + 0.08) * width, (Double(place) + 0.92) * width)
            let height = max(2, Int((ticks.fraction(bar.value) * Double(panelHeight)).rounded()))
            let box = box(left, right, bottom - height, height)
            parts.append(Node("rect", ["class": "\(panel.paint)"] + box, [Node("title", text: bar.text)]))
        }
        // The panel's title and the number at the top of its scale are above the bars and take no width from them.
        if !panel.title.isEmpty {
            parts += [Node("text", ["class": "panel", "x": 0, "y": top - 6], text: panel.title)]
        }
        let scale: Attributes = ["class": "tick", "x": "100%", "y": top - 6, "text-anchor": "end"]
        return Node("g", parts + [Node("text", scale, text: number(ticks.top))])
    }

    private func box(_ left: Double, _ right: Double, _ y: Int, _ height: Int) -> Attributes {
        ["x": percent(left), "y": y, "width": percent(right - left), "height": height]
    }

    private func draw(_ mark: Mark, height: Int) -> Node {
        // A label at an edge would be cut off if it were centred.
        let anchor = mark.at < 0.05 ? "start" : mark.at > 0.95 ? "end" : "middle"
        let (x, top) = (percent(mark.at), height - Self.foot)
        return .group([
            Node("line", ["class": "axis", "x1": x, "x2": x, "y1": top, "y2": top + 5]),
            Node("text", ["class": "tick", "x": x, "y": height - 5, "text-anchor": anchor], text: mark.text),
        ])
    }
}

/// The marks of an axis, from zero to the greatest value or above. All steps are 1, 2 or 5 times a power of ten.
struct Ticks: Sendable, Equatable {
    /// Ascending from 0. There are at least two.
    let values: [Int]

    init(covering greatest: Int, wanted: Int) {
        // The bound keeps the sums below from overflowing. Real counts are far smaller.
        let greatest = min(max(greatest, 1), Int.max / 16)
        let least = (greatest + max(wanted, 1) - 1) / max(wanted, 1)
        let steps = sequence(first: 1) { $0 * 10 }.lazy.flatMap { power in [1, 2, 5].map { $0 * power } }
        let step = steps.first { $0 >= least } ?? least
        values = (0...((greatest + step - 1) / step)).map { $0 * step }
    }

    var top: Int { values[values.count - 1] }

    func fraction(_ value: Double) -> Double { min(max(value / Double(top), 0), 1) }
}
