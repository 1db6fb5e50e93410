/// A part of a page: an element, a text or a style sheet.
///
/// Element names, attribute names and style sheets are literals of this program. Everything else is a text or an
/// attribute's value and is escaped on writing. So no value from the database becomes markup.
struct Node: Sendable {
    let markup: String

    /// `<name …>children</name>`. A void element (HTML, 13.1.2) has no end tag, and its children are not written.
    static func element(_ name: StaticString, _ attributes: Attributes, _ children: [Node]) -> Node {
        var markup = "<\(name)"
        for (name, value) in attributes.all { markup += " \(name)=\"\(escaped(value))\"" }
        markup += ">"
        if ["br", "hr", "meta"].contains("\(name)") { return Node(markup: markup) }
        for child in children { markup += child.markup }
        return Node(markup: "\(markup)</\(name)>")
    }

    static func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) -> Node {
        .element(name, attributes, [.text(text)])
    }

    static func text(_ text: String) -> Node { Node(markup: escaped(text)) }

    static func p(_ text: String, class name: String? = nil) -> Node {
        .element("p", name.map { ["class": $0] } ?? [:], text: text)
    }

    static func style(_ sheet: StaticString) -> Node { Node(markup: "<style>\(sheet)</style>") }

    static func group(_ nodes: [Node]) -> Node { Node(markup: nodes.map(\.markup).joined()) }

    /// A complete document: `<!DOCTYPE html>`, this element and a newline.
    var document: String { "<!DOCTYPE html>\n\(markup)\n" }

    /// The only place that turns text into markup, for element content and for values in double quotes. Control
    /// characters, which HTML does not allow (HTML, 13.1.4), become spaces.
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
            default:
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                markup.unicodeScalars.append(isControl ? " " : scalar)
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

/// A share of the whole width, such as `12.5%`, rounded to a thousandth of a per cent.
struct Percent: CustomStringConvertible {
    let description: String

    init(_ fraction: Double) {
        let thousandths = Int((min(max(fraction, 0), 1) * 100_000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(String(1000 + rest).dropFirst())
        let decimals = digits[...(digits.lastIndex { $0 != "0" } ?? digits.startIndex)]
        description = rest > 0 ? "\(whole).\(decimals)%" : "\(whole)%"
    }
}
