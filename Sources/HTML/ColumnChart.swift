/// Panels of upright bars, one above the other, over one axis: an inline SVG.
///
/// Across, everything is a share of the width, and nothing has a view box: so a chart fills any page, and its words stay as large as those around it.
public struct ColumnChart: Sendable {
    /// A mark of the axis below.
    public struct Mark: Sendable {
        /// Where, 0 to 1.
        public let at: Double
        /// Its words; short, there is a fifth of a telephone's width.
        public let words: String

        /// All parts.
        public init(_ at: Double, _ words: String) {
            self.at = at
            self.words = words
        }
    }

    /// A stretch of the axis that is shaded and hatched, behind the bars.
    public struct Shade: Sendable {
        let range: ClosedRange<Double>

        /// - Parameter range: from and to, 0 to 1.
        public init(_ range: ClosedRange<Double>) {
            self.range = range
        }
    }

    /// Names its parts among those of the page: an id of HTML, distinct from those of the page's other charts.
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
    ///   - title: what is seen; read out.
    ///   - summary: what a reader who doesn't see it should know; read out after the title.
    ///   - isScaleShared: one scale for all panels, so that their bars compare; else each has its own.
    ///   - panelHeight: of the bars' room, in pixels.
    ///   - number: a mark of the upright scale in words.
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

    /// Room above a panel's bars, for its title and the uppermost number.
    private static let head = 34
    /// Room below the last panel, for the marks.
    private static let foot = 24

    /// The SVG.
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

    /// Pictures have names, their parts only words for a pointer: read out one by one they would be hundreds, and the table says the same.
    static func unread(_ parts: [Node]) -> Node { .element("g", [Attribute("aria-hidden", "true")], parts) }

    private static func greatest(_ panel: Panel) -> Int { Int((panel.bars.map(\.value).max() ?? 0).rounded(.up)) }

    /// Lines as well as a tint: on paper a tint may be gone.
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
        parts += words(panel, top: top, bottom: bottom, ticks)
        return .element("g", [], parts)
    }

    private func draw(_ bar: Panel.Bar, _ place: Int, of panel: Panel, bottom: Int, _ ticks: Ticks) -> Node {
        let width = 1 / Double(panel.bars.count)
        // A gap between bars; something is never drawn as nothing.
        let (left, right) = ((Double(place) + 0.08) * width, (Double(place) + 0.92) * width)
        let height = max(2, Int((ticks.fraction(bar.value) * Double(panelHeight)).rounded()))
        return .element(
            "rect",
            [Attribute("class", "\(panel.paint)")] + box(left, right, bottom - height, height),
            [.element("title", text: bar.words)]
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

    /// The numbers stand on their lines, at the right edge, where they take no room from the bars.
    private func words(_ panel: Panel, top: Int, bottom: Int, _ ticks: Ticks) -> [Node] {
        var words: [Node] = []
        if !panel.title.isEmpty {
            words.append(
                .element(
                    "text",
                    [Attribute("class", "panel"), Attribute("x", "0"), Attribute("y", top - 6)],
                    text: panel.title
                )
            )
        }
        words.append(
            .element(
                "text",
                [
                    Attribute("class", "tick"), Attribute("x", "100%"), Attribute("y", top - 6),
                    Attribute("text-anchor", "end"),
                ],
                text: number(ticks.top)
            )
        )
        return words
    }

    private func draw(_ mark: Mark, height: Int) -> Node {
        // Words at an edge would be cut off.
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
        let words = Node.element(
            "text",
            [Attribute("class", "tick"), x, Attribute("y", height - 5), Attribute("text-anchor", anchor)],
            text: mark.words
        )
        return .group([tick, words])
    }
}
