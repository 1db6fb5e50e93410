/// A table of texts and numbers. On a narrow page its box scrolls sideways.
public struct Table: Sendable {
    /// A column's heading and alignment.
    public struct Column: Sendable {
        let name: String
        let isNumber: Bool

        /// A column of texts, aligned left.
        public static func text(_ name: String) -> Column { Column(name: name, isNumber: false) }
        /// A column of numbers, aligned right.
        public static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
    }

    private let caption: String
    private let columns: [Column]
    private let rows: [[String]]
    private let sums: [String]

    /// - Parameters:
    ///   - caption: what the table holds. It is shown above the table and read by screen readers.
    ///   - columns: the first column names the rows.
    ///   - rows: each row has as many cells as there are columns.
    ///   - sums: the last row; empty for none.
    public init(_ caption: String, _ columns: [Column], _ rows: [[String]], sums: [String] = []) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.sums = sums
    }

    /// The table. Its box can take the focus, so that the keyboard scrolls it (WCAG 2.1.1).
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

    /// The table inside a closed `details` element. The summary repeats the caption, because a list of controls shows
    /// it without its context.
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
