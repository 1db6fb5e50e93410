/// A part of a page: an element, a text or a style sheet.
///
/// Element names, attribute names and style sheets are literals of this program. Everything else is a text or an
/// attribute's value and is escaped on writing. So no value from the database becomes markup.
public indirect enum Node: Sendable {
    /// `<name …>children</name>`. A void element (`br`, `hr`, `meta`) has no end tag, and its children are not written.
    case element(StaticString, [Attribute], [Node])
    /// Text, escaped on writing.
    case text(String)
    /// A `style` element. The sheet is written as it is.
    case style(StaticString)
    /// Several nodes, one after the other.
    case group([Node])

    /// An empty node.
    public static let nothing = Node.group([])

    /// An element that holds only text.
    public static func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) -> Node {
        .element(name, attributes, [.text(text)])
    }

    /// The node as HTML.
    public var markup: String {
        var markup = ""
        write(to: &markup)
        return markup
    }

    /// A complete document: `<!DOCTYPE html>`, this element and a newline.
    public var document: String { "<!DOCTYPE html>\n\(markup)\n" }

    func write(to markup: inout String) {
        switch self {
        case .text(let text): Escaping.write(text, to: &markup)
        case .group(let nodes): for node in nodes { node.write(to: &markup) }
        case .style(let sheet): markup += "<style>\(sheet)</style>"
        case .element(let name, let attributes, let children):
            let name = "\(name)"
            markup += "<\(name)"
            for attribute in attributes { attribute.write(to: &markup) }
            markup += ">"
            guard !Self.void.contains(name) else { return }
            for child in children { child.write(to: &markup) }
            markup += "</\(name)>"
        }
    }

    /// The elements without an end tag (HTML, 13.1.2) that our pages use.
    private static let void: Set<String> = ["br", "hr", "meta"]
}
