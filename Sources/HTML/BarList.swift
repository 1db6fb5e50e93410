/// Horizontal bars, each below its name and with its number at the end. One inline SVG that fills any width.
public struct BarList: Sendable {
    /// One bar.
    public struct Line: Sendable {
        /// The name above the bar. A phone's screen has room for 44 letters.
        public let name: String
        /// The number as text. It gets a third of a phone's width.
        public let number: String
        /// The bar's length; all bars share one unit. 0: no bar is drawn.
        public let value: Double

        /// Creates a line.
        public init(_ name: String, _ number: String, _ value: Double) {
            self.name = name
            self.number = number
            self.value = value
        }
    }

    private let id: String
    private let title: String
    private let summary: String
    private let lines: [Line]

    /// - Parameters:
    ///   - id: an HTML id, unique on the page.
    ///   - title: what the chart shows. Screen readers read it.
    ///   - summary: the chart's content in sentences. Screen readers read it after the title.
    ///   - lines: from top to bottom.
    public init(id: String, title: String, summary: String, lines: [Line]) {
        self.id = id
        self.title = title
        self.summary = summary
        self.lines = lines
    }

    private static let lineHeight = 42
    /// The longest bar's share of the width. The rest is for its number.
    private static let room = 0.6

    /// The SVG element.
    public var node: Node {
        let longest = max(lines.map(\.value).max() ?? 0, 1)
        let description = [
            Node.element("title", [Attribute("id", "\(id)-title")], text: title),
            Node.element("desc", [Attribute("id", "\(id)-desc")], text: summary),
        ]
        return .element(
            "svg",
            [
                Attribute("class", "chart"), Attribute("role", "img"), Attribute("width", "100%"),
                Attribute("height", lines.count * Self.lineHeight), Attribute("aria-labelledby", "\(id)-title"),
                Attribute("aria-describedby", "\(id)-desc"),
            ],
            description + [
                ColumnChart.unread(
                    lines.enumerated().map { place, line in
                        draw(line, top: place * Self.lineHeight, fraction: line.value / longest)
                    }
                )
            ]
        )
    }

    private func draw(_ line: Line, top: Int, fraction: Double) -> Node {
        // A small count among millions must stay visible.
        let end = line.value > 0 ? max(fraction, 0.004) * Self.room : 0
        let name = Node.element(
            "text",
            [Attribute("class", "name"), Attribute("x", "0"), Attribute("y", top + 16)],
            text: line.name
        )
        let bar = Node.element(
            "rect",
            [
                Attribute("class", "bar"), Attribute("x", "0"), Attribute("y", top + 22),
                Attribute("width", percent: end), Attribute("height", 12),
            ],
            []
        )
        let number = Node.element(
            "text",
            [
                Attribute("class", "number"), Attribute("x", percent: end), Attribute("dx", end > 0 ? 6 : 0),
                Attribute("y", top + 33),
            ],
            text: line.number
        )
        return .element("g", [], [name] + (end > 0 ? [bar] : []) + [number])
    }
}
