/// A table of words and numbers, in a box of its own that scrolls sideways where the page is narrow.
public struct Table: Sendable {
    /// A column.
    public struct Column: Sendable {
        let name: String
        let isNumber: Bool

        /// Words, aligned left.
        public static func words(_ name: String) -> Column { Column(name: name, isNumber: false) }
        /// Numbers, aligned right.
        public static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
    }

    private let caption: String
    private let columns: [Column]
    private let rows: [[String]]
    private let sums: [String]

    /// - Parameters:
    ///   - caption: what it holds; read out, and shown above.
    ///   - columns: the first one names the rows.
    ///   - rows: as long as `columns`.
    ///   - sums: a last row; empty: none.
    public init(_ caption: String, _ columns: [Column], _ rows: [[String]], sums: [String] = []) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.sums = sums
    }

    /// The table. Its box takes the keyboard, so that it scrolls without a pointer (WCAG 2.1.1).
    public var node: Node {
        let head = columns.map { column in
            Node.element(
                "th",
                [Attribute("scope", "col")] + (column.isNumber ? [Attribute("class", "n")] : []),
                text: column.name
            )
        }
        var parts: [Node] = [
            .element("caption", text: caption), .element("thead", [], [.element("tr", [], head)]),
            .element("tbody", [], rows.map(row)),
        ]
        if !sums.isEmpty { parts.append(.element("tfoot", [], [row(sums)])) }
        return .element(
            "div",
            [
                Attribute("class", "scroll"), Attribute("role", "region"), Attribute("tabindex", "0"),
                Attribute("aria-label", caption),
            ],
            [.element("table", [], parts)]
        )
    }

    /// The same behind words that open it, which name it: out of its place in the page they still say which.
    public var folded: Node {
        .element("details", [], [.element("summary", text: "As a table: \(caption)"), node])
    }

    private func row(_ cells: [String]) -> Node {
        .element(
            "tr",
            [],
            zip(columns, cells).enumerated().map { place, cell in
                let number = cell.0.isNumber ? [Attribute("class", "n")] : []
                return place == 0
                    ? .element("th", [Attribute("scope", "row")] + number, text: cell.1)
                    : .element("td", number, text: cell.1)
            }
        )
    }
}
