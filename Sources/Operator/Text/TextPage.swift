import Base

/// Lines of a given width, with fields in columns. Longer text is wrapped and indented. Control characters in the app's
/// texts are removed.
struct TextPage {
    private let width: Int
    private var lines: [String] = []
    private static let label = 17

    /// - Parameter width: the columns. A line is longer only if a single word is.
    init(width: Int) { self.width = max(40, width) }

    var text: String { lines.joined(separator: "\n") }

    mutating func line(_ text: String) { wrapped(text, indent: 0) }

    /// `label           value`.
    mutating func field(_ label: String, _ value: String) { columns("  ", [(label, Self.label)], value) }

    mutating func fields(_ label: String, _ values: [String]) {
        for (number, value) in values.enumerated() { field(number == 0 ? label : "", value) }
    }

    /// Cells, each padded to its width, then the rest of the line.
    mutating func columns(_ indent: String, _ cells: [(text: String, width: Int)], _ rest: String) {
        let head = cells.reduce(indent) { line, cell in
            line + cell.text + String(repeating: " ", count: max(1, cell.width - cell.text.count))
        }
        let line = rest.isEmpty ? String(head.reversed().drop { $0 == " " }.reversed()) : head + rest
        wrapped(line, indent: min(head.count, width / 2))
    }

    mutating func wrapped(_ text: String, indent: Int) {
        var rest = Substring(text.printable)
        var isFirst = true
        while true {
            let room = isFirst ? width : width - indent
            let lead = isFirst ? "" : String(repeating: " ", count: indent)
            // One character more than fits: a blank right after the last column also ends the line.
            guard rest.count > room, let cut = Self.cut(rest, room, after: isFirst ? indent : 0) else {
                lines.append(lead + rest)
                return
            }
            lines.append(lead + rest[..<cut])
            rest = rest[cut...].drop { $0 == " " }
            isFirst = false
        }
    }

    /// The last blank that fits. If one word is longer than the line, the word's end.
    private static func cut(_ text: Substring, _ room: Int, after least: Int) -> Substring.Index? {
        let end = text.index(text.startIndex, offsetBy: room)
        let start = text.index(text.startIndex, offsetBy: min(least, room))
        if let blank = text[start...end].lastIndex(of: " "), text[start..<blank].contains(where: { $0 != " " }) {
            return blank
        }
        return text[end...].firstIndex(of: " ")
    }
}
