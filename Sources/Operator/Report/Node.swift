/// A part of a page: an element, a text or a style sheet. Names of elements and attributes are literals of this
/// program, and the style sheet is its own. All else is escaped: no value from the database becomes markup.
struct Node: Sendable {
    let markup: String

    private init(markup: String) { self.markup = markup }

    /// `<name …>children</name>`. A void element (HTML, 13.1.2) has no end tag, and its children are not written.
    init(_ name: StaticString, _ attributes: Attributes = [:], _ children: [Node] = []) {
        let start = attributes.all.reduce("<\(name)") { $0 + " \($1.name)=\"\(Self.escaped($1.value))\"" } + ">"
        let isVoid = ["br", "hr", "meta"].contains("\(name)")
        markup = isVoid ? start : start + children.map(\.markup).joined() + "</\(name)>"
    }

    init(_ name: StaticString, _ children: [Node]) { self.init(name, [:], children) }

    init(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
        self.init(name, attributes, [.text(text)])
    }

    static func text(_ text: String) -> Node { Node(markup: escaped(text)) }

    static func p(_ text: String, class name: String? = nil) -> Node {
        Node("p", name.map { ["class": $0] } ?? [:], text: text)
    }

    /// Only for a sheet of this program: it is not escaped.
    static func style(_ sheet: String) -> Node { Node(markup: "<style>\(sheet)</style>") }
    static func group(_ nodes: [Node]) -> Node { Node(markup: nodes.map(\.markup).joined()) }

    var document: String { "<!DOCTYPE html>\n\(markup)\n" }

    /// The only place that turns text into markup, for elements and for values in double quotes. Control characters
    /// (HTML, 13.1.4) become spaces.
    private static func escaped(_ text: String) -> String {
        var markup = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\n", "\t": markup.unicodeScalars.append(scalar)
            default: markup.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return markup
    }
}

struct Attributes: Sendable, ExpressibleByDictionaryLiteral {
    fileprivate var all: [(name: StaticString, value: String)]

    init(dictionaryLiteral all: (StaticString, any CustomStringConvertible)...) {
        self.all = all.map { ($0, $1.description) }
    }

    static func + (first: Attributes, second: Attributes) -> Attributes {
        var attributes = first
        attributes.all += second.all
        return attributes
    }
}

struct Table {
    let caption: String
    let columns: [String]
    /// How many columns hold texts. The others hold numbers, which are aligned right.
    let texts: Int
    let rows: [[String]]
    let sums: [String]

    init(_ caption: String, _ columns: [String], texts: Int = 1, _ rows: [[String]], sums: [String] = []) {
        (self.caption, self.columns, self.texts, self.rows, self.sums) = (caption, columns, texts, rows, sums)
    }

    /// Its box can take the focus, so that the keyboard scrolls it (WCAG 2.1.1).
    var node: Node {
        let head = columns.enumerated().map { Node("th", ["scope": "col"] + alignment($0), text: $1) }
        let parts = [Node("caption", text: caption), Node("thead", [Node("tr", head)]), Node("tbody", rows.map(row))]
        let box: Attributes = ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": caption]
        return Node("div", box, [Node("table", parts + (sums.isEmpty ? [] : [Node("tfoot", [row(sums)])]))])
    }

    /// The summary repeats the caption: a screen reader's list of controls shows it without its context.
    var folded: Node { Node("details", [Node("summary", text: "As a table: \(caption)"), node]) }

    private func row(_ cells: [String]) -> Node {
        let cells = cells.enumerated().map { place, cell in
            let (name, scope): (StaticString, Attributes) = place == 0 ? ("th", ["scope": "row"]) : ("td", [:])
            return Node(name, scope + alignment(place), text: cell)
        }
        return Node("tr", cells)
    }

    private func alignment(_ place: Int) -> Attributes { place < texts ? [:] : ["class": "n"] }
}
