/// A table of texts and numbers. On a narrow page its box scrolls sideways.
struct Table {
    let caption: String
    let columns: [String]
    /// How many columns hold texts. The others hold numbers, which are aligned right.
    var texts = 1
    /// Each row has as many cells as there are columns.
    let rows: [[String]]
    var sums: [String] = []

    /// The table. Its box can take the focus, so that the keyboard scrolls it (WCAG 2.1.1).
    var node: Node {
        let head = columns.enumerated().map { place, name in
            Node.element("th", ["scope": "col"] + alignment(place), text: name)
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
        let cells = cells.enumerated().map { place, cell in
            place == 0
                ? Node.element("th", ["scope": "row"] + alignment(place), text: cell)
                : .element("td", alignment(place), text: cell)
        }
        return .element("tr", [:], cells)
    }

    private func alignment(_ place: Int) -> Attributes { place < texts ? [:] : ["class": "n"] }
}
