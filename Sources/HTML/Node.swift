/// A part of a page: an element, a text or a style sheet.
///
/// Names of elements and attributes, and style sheets, are literals of our own code; whatever comes from elsewhere is a text or an attribute's value, and is
/// escaped where it is written (`Escaping`): so nothing that stands in a database becomes markup.
public indirect enum Node: Sendable {
    /// `<name …>children</name>`; one of the elements that HTML knows as void has no end tag, and its children are not written.
    case element(StaticString, [Attribute], [Node])
    /// Words.
    case text(String)
    /// A `style` element.
    case style(StaticString)
    /// Several, one after the other.
    case group([Node])

    /// Nothing.
    public static let nothing = Node.group([])

    /// An element that holds words only.
    public static func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) -> Node {
        .element(name, attributes, [.text(text)])
    }

    /// Its markup.
    public var markup: String {
        var markup = ""
        write(to: &markup)
        return markup
    }

    /// A whole document: `<!DOCTYPE html>`, this element, a newline.
    public var document: String { "<!DOCTYPE html>\n\(markup)\n" }

    func write(to markup: inout String) {
        switch self {
        case .text(let words): Escaping.write(words, to: &markup)
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

    /// Elements without an end tag, of those that a page of ours has (HTML, 13.1.2).
    private static let void: Set<String> = ["br", "hr", "meta"]
}
