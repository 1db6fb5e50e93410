/// Panels of vertical bars, one above the other, over one shared axis. One inline SVG.
///
/// Horizontal sizes are percentages and there is no view box. So a chart fills any page, and its text keeps the page's
/// size.
public struct ColumnChart: Sendable {
    /// A mark on the horizontal axis.
    public struct Mark: Sendable {
        /// The position, from 0 to 1.
        public let at: Double
        /// The label. Keep it short: it gets a fifth of a phone's width.
        public let text: String

        /// Creates a mark.
        public init(_ at: Double, _ text: String) {
            self.at = at
            self.text = text
        }
    }

    /// A part of the axis that is shaded and hatched behind the bars.
    public struct Shade: Sendable {
        let range: ClosedRange<Double>

        /// - Parameter range: start and end, from 0 to 1.
        public init(_ range: ClosedRange<Double>) {
            self.range = range
        }
    }

    /// An HTML id, unique on the page. The ids inside the SVG begin with it.
    private let id: String
    private let title: String
    private let summary: String
    private let panels: [Panel]
    private let marks: [Mark]
    private let shades: [Shade]
    private let isScaleShared: Bool
    private let panelHeight: Int
    private let number: @Sendable (Int) -> String

    /// - Parameters:
    ///   - id: an HTML id, unique on the page.
    ///   - title: what the chart shows. Screen readers read it.
    ///   - summary: the chart's content in sentences. Screen readers read it after the title.
    ///   - panels: from top to bottom.
    ///   - marks: the labels of the horizontal axis.
    ///   - shades: the shaded parts of the horizontal axis.
    ///   - isScaleShared: whether all panels share one scale, so that their bars compare.
    ///   - panelHeight: the height of the bars' area, in pixels.
    ///   - number: the text for the top of a vertical scale.
    public init(
        id: String,
        title: String,
        summary: String,
        panels: [Panel],
        marks: [Mark],
        shades: [Shade] = [],
        isScaleShared: Bool,
        panelHeight: Int,
        number: @escaping @Sendable (Int) -> String
    ) {
        self.id = id
        self.title = title
        self.summary = summary
        self.panels = panels
        self.marks = marks
        self.shades = shades
        self.isScaleShared = isScaleShared
        self.panelHeight = panelHeight
        self.number = number
    }

    /// Pixels above a panel's bars, for its title and the number at the top.
    private static let head = 34
    /// Pixels below the last panel, for the marks.
    private static let foot = 24

    /// The SVG element.
    public var node: Node {
        let height = panels.count * (Self.head + panelHeight) + Self.foot
        var parts: [Node] = [
            .element("title", [Attribute("id", "\(id)-title")], text: title),
            .element("desc", [Attribute("id", "\(id)-desc")], text: summary),
        ]
        if !shades.isEmpty { parts.append(hatch) }
        let shared = isScaleShared ? panels.map(Self.greatest).max() : nil
        for (place, panel) in panels.enumerated() {
            let bottom = (place + 1) * (Self.head + panelHeight)
            parts.append(draw(panel, bottom: bottom, Ticks(covering: shared ?? Self.greatest(panel), wanted: 2)))
        }
        parts += marks.map { draw($0, height: height) }
        return .element(
            "svg",
            [
                Attribute("class", "chart"), Attribute("role", "img"), Attribute("width", "100%"),
                Attribute("height", height), Attribute("aria-labelledby", "\(id)-title"),
                Attribute("aria-describedby", "\(id)-desc"),
            ],
            parts.prefix(2) + [Self.unread(Array(parts.dropFirst(2)))]
        )
    }

    /// Screen readers skip the parts: there are hundreds, and the table has the same numbers.
    static func unread(_ parts: [Node]) -> Node { .element("g", [Attribute("aria-hidden", "true")], parts) }

    private static func greatest(_ panel: Panel) -> Int { Int((panel.bars.map(\.value).max() ?? 0).rounded(.up)) }

    /// A hatch as well as a tint: a printer may drop the tint.
    private var hatch: Node {
        let line = Node.element(
            "path",
            [Attribute("class", "hatch"), Attribute("d", "M-2 10L10 -2M4 10L10 4M-2 4L4 -2")],
            []
        )
        let pattern = Node.element(
            "pattern",
            [
                Attribute("id", "\(id)-hatch"), Attribute("width", 8), Attribute("height", 8),
                Attribute("patternUnits", "userSpaceOnUse"),
            ],
            [line]
        )
        return .element("defs", [], [pattern])
    }

    private func draw(_ panel: Panel, bottom: Int, _ ticks: Ticks) -> Node {
        let top = bottom - panelHeight
        var parts: [Node] = shades.flatMap { shade in
            [("shade", nil), ("hatched", "url(#\(id)-hatch)")].map { name, fill in
                .element(
                    "rect",
                    [Attribute("class", name)] + (fill.map { [Attribute("fill", $0)] } ?? [])
                        + box(shade.range.lowerBound, shade.range.upperBound, top, panelHeight),
                    []
                )
            }
        }
        for tick in ticks.values {
            let y = bottom - Int((ticks.fraction(Double(tick)) * Double(panelHeight)).rounded())
            parts.append(line(y, tick == 0 ? "axis" : "grid"))
        }
        for (place, bar) in panel.bars.enumerated() where bar.value > 0 {
            parts.append(draw(bar, place, of: panel, bottom: bottom, ticks))
        }
        parts += labels(panel, top: top, bottom: bottom, ticks)
        return .element("g", [], parts)
    }

    private func draw(_ bar: Panel.Bar, _ place: Int, of panel: Panel, bottom: Int, _ ticks: Ticks) -> Node {
        let width = 1 / Double(panel.bars.count)
        // 8 % of a bar's width stays free on each side. The least height is two pixels, so that a small value is
        // visible.
        let (left, right) = ((Double(place) + 0.08) * width, (Double(place) + 0.92) * width)
        let height = max(2, Int((ticks.fraction(bar.value) * Double(panelHeight)).rounded()))
        return .element(
            "rect",
            [Attribute("class", "\(panel.paint)")] + box(left, right, bottom - height, height),
            [.element("title", text: bar.text)]
        )
    }

    private func box(_ left: Double, _ right: Double, _ y: Int, _ height: Int) -> [Attribute] {
        [
            Attribute("x", percent: left), Attribute("y", y), Attribute("width", percent: right - left),
            Attribute("height", height),
        ]
    }

    private func line(_ y: Int, _ name: String) -> Node {
        .element(
            "line",
            [
                Attribute("class", name), Attribute("x1", "0"), Attribute("x2", "100%"), Attribute("y1", y),
                Attribute("y2", y),
            ],
            []
        )
    }

    /// The panel's title and the number at the top of its scale. Both are above the bars and take no width from them.
    private func labels(_ panel: Panel, top: Int, bottom: Int, _ ticks: Ticks) -> [Node] {
        var labels: [Node] = []
        if !panel.title.isEmpty {
            labels.append(
                .element(
                    "text",
                    [Attribute("class", "panel"), Attribute("x", "0"), Attribute("y", top - 6)],
                    text: panel.title
                )
            )
        }
        labels.append(
            .element(
                "text",
                [
                    Attribute("class", "tick"), Attribute("x", "100%"), Attribute("y", top - 6),
                    Attribute("text-anchor", "end"),
                ],
                text: number(ticks.top)
            )
        )
        return labels
    }

    private func draw(_ mark: Mark, height: Int) -> Node {
        // A label at an edge would be cut off if it were centred.
        let anchor = mark.at < 0.05 ? "start" : mark.at > 0.95 ? "end" : "middle"
        let x = Attribute("x", percent: mark.at)
        let tick = Node.element(
            "line",
            [
                Attribute("class", "axis"), Attribute("x1", percent: mark.at), Attribute("x2", percent: mark.at),
                Attribute("y1", height - Self.foot), Attribute("y2", height - Self.foot + 5),
            ],
            []
        )
        let label = Node.element(
            "text",
            [Attribute("class", "tick"), x, Attribute("y", height - 5), Attribute("text-anchor", anchor)],
            text: mark.text
        )
        return .group([tick, label])
    }
}
