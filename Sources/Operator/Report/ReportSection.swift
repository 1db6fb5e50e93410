import HTML

/// A part of the page: a heading, and what stands under it.
struct ReportSection {
    enum Part {
        /// A paragraph.
        case words(String)
        /// What is made already: a picture, a table.
        case node(Node)
    }

    /// As HTML's ids.
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
                    case .words(let words): .element("p", text: words)
                    case .node(let node): node
                    }
                }
        )
    }
}
