/// A table of texts and numbers. On a narrow page its box scrolls sideways.
struct Table {
    /// A column's heading and alignment.
    enum Column {
        /// Aligned left.
        case text(String)
        /// Aligned right.
        case number(String)

        var name: String {
            switch self {
            case .text(let name), .number(let name): name
            }
        }
        var alignment: Attributes { if case .number = self { ["class": "n"] } else { [:] } }
    }

    /// What the table holds. It is shown above the table and read by screen readers.
    let caption: String
    /// The first column names the rows.
    let columns: [Column]
    /// Each row has as many cells as there are columns.
    let rows: [[String]]
    /// The last row; empty for none.
    var sums: [String] = []

    /// The table. Its box can take the focus, so that the keyboard scrolls it (WCAG 2.1.1).
    var node: Node {
        let head = columns.map { column in
            Node.element("th", ["scope": "col"] + column.alignment, text: column.name)
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
    var folded: Node {
        .element("details", [:], [.element("summary", text: "As a table: \(caption)"), node])
    }

    private func row(_ cells: [String]) -> Node {
        let cells = zip(columns, cells).enumerated().map { place, cell in
            place == 0
                ? Node.element("th", ["scope": "row"] + cell.0.alignment, text: cell.1)
                : .element("td", cell.0.alignment, text: cell.1)
        }
        return .element("tr", [:], cells)
    }
}
