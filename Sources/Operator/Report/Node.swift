/// A part of a page: an element, a text or a style sheet.
///
/// Element names, attribute names and style sheets are literals of this program. Everything else is a text or an
/// attribute's value and is escaped on writing. So no value from the database becomes markup.
indirect enum Node: Sendable {
    /// `<name …>children</name>`. A void element (`br`, `hr`, `meta`) has no end tag, and its children are not written.
    case element(StaticString, Attributes, [Node])
    case text(String)
    /// A `style` element. The sheet is written as it is.
    case style(StaticString)
    case group([Node])

    static func p(_ text: String, class name: String? = nil) -> Node {
        .element("p", name.map { ["class": $0] } ?? [:], text: text)
    }

    static func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) -> Node {
        .element(name, attributes, [.text(text)])
    }

    var markup: String {
        var markup = ""
        write(to: &markup)
        return markup
    }

    /// A complete document: `<!DOCTYPE html>`, this element and a newline.
    var document: String { "<!DOCTYPE html>\n\(markup)\n" }

    private func write(to markup: inout String) {
        switch self {
        case .text(let text): Self.escape(text, to: &markup)
        case .group(let nodes): for node in nodes { node.write(to: &markup) }
        case .style(let sheet): markup += "<style>\(sheet)</style>"
        case .element(let name, let attributes, let children):
            let name = "\(name)"
            markup += "<\(name)"
            for (name, value) in attributes.all {
                markup += " \(name)=\""
                Self.escape(value, to: &markup)
                markup += "\""
            }
            markup += ">"
            guard !Self.void.contains(name) else { return }
            for child in children { child.write(to: &markup) }
            markup += "</\(name)>"
        }
    }

    /// The elements without an end tag (HTML, 13.1.2) that our pages use.
    private static let void: Set<String> = ["br", "hr", "meta"]

    /// The only place that turns text into markup, for element content and for values in double quotes. Control
    /// characters, which HTML does not allow (HTML, 13.1.4), become spaces.
    private static func escape(_ text: String, to markup: inout String) {
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
    }
}

/// The attributes of an element, in the order of the literal.
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

    /// - Parameter fraction: 0 to 1; a value outside is clamped.
    init(_ fraction: Double) {
        let thousandths = Int((min(max(fraction, 0), 1) * 100_000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(String(1000 + rest).dropFirst())
        let decimals = digits[...(digits.lastIndex { $0 != "0" } ?? digits.startIndex)]
        description = rest > 0 ? "\(whole).\(decimals)%" : "\(whole)%"
    }
}
