/// A table of texts and numbers. On a narrow page its box scrolls sideways.
package struct Table: Sendable {
    /// A column's heading and alignment.
    package struct Column: Sendable {
        let name: String
        let isNumber: Bool

        /// A column of texts, aligned left.
        package static func text(_ name: String) -> Column { Column(name: name, isNumber: false) }
        /// A column of numbers, aligned right.
        package static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
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
    package init(_ caption: String, _ columns: [Column], _ rows: [[String]], sums: [String] = []) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.sums = sums
    }

    /// The table. Its box can take the focus, so that the keyboard scrolls it (WCAG 2.1.1).
    package var node: Node {
        let head = columns.map { column in
            Node.element("th", ["scope": "col"] + Self.alignment(column), text: column.name)
        }
        var parts: [Node] = [
            .element("caption", text: caption), .element("thead", [:], [.element("tr", [:], head)]),
            .element("tbody", [:], rows.map(row)),
        ]
        if !sums.isEmpty { parts.append(.element("tfoot", [:], [row(sums)])) }
        return .element(
            "div",
            ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": caption],
            [.element("table", [:], parts)]
        )
    }

    /// The table inside a closed `details` element. The summary repeats the caption, because a list of controls shows
    /// it without its context.
    package var folded: Node {
        .element("details", [:], [.element("summary", text: "As a table: \(caption)"), node])
    }

    private static func alignment(_ column: Column) -> Attributes { column.isNumber ? ["class": "n"] : [:] }

    private func row(_ cells: [String]) -> Node {
        let cells = zip(columns, cells).enumerated().map { place, cell in
            let alignment = Self.alignment(cell.0)
            return place == 0
                ? Node.element("th", ["scope": "row"] + alignment, text: cell.1)
                : .element("td", alignment, text: cell.1)
        }
        return .element("tr", [:], cells)
    }
}
