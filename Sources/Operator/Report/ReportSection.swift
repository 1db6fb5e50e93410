import HTML

/// A part of the page: a heading and its content.
struct ReportSection {
    enum Part {
        case text(String)
        /// A finished chart or table.
        case node(Node)
    }

    /// The HTML id of the section, unique on the page.
    let id: String
    let title: String
    let parts: [Part]

    var node: Node {
        let heading = Node.element("h2", [Attribute("id", "\(id)-heading")], text: title)
        return .element(
            "section",
            [Attribute("id", id), Attribute("aria-labelledby", "\(id)-heading")],
            [heading]
                + parts.map { part in
                    switch part {
                    case .text(let text): .element("p", text: text)
                    case .node(let node): node
                    }
                }
        )
    }
}
