import Base
package import JSON
import Service
package import Systemd
package import TimeZones

package import struct FoundationEssentials.UUID

/// Called with how much is done (users or steps), and with how much there is.
package typealias Progress = @Sendable (Int, Int) -> Void

package protocol CommandOutput: Sendable {
    /// For a person. Lines without a newline at the end.
    func text(on screen: Screen) -> String
    var json: String { get }
    var status: ExitStatus { get }
    /// Colours the text. That is done last: what is shown has no escapes of others any more.
    func painted(_ text: String, _ colour: Colour) -> String
}

extension CommandOutput {
    package var status: ExitStatus { .success }
    package func painted(_ text: String, _ colour: Colour) -> String { text }
}

extension String {
    /// With blanks behind it up to a width, at least one.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
    func when(_ isSo: Bool) -> [String] { isSo ? [self] : [] }
}

package struct Screen: Sendable {
    package let width: Int
    /// Whether block characters can be shown; else bars are of `#`.
    package let hasBlocks: Bool

    package init(width: Int, hasBlocks: Bool = false) { (self.width, self.hasBlocks) = (width, hasBlocks) }
}

extension Instant: JSONPart { package var part: JSONValue { .string(rfc3339) } }
extension LocalDate: JSONPart { package var part: JSONValue { .string(iso) } }
extension UUID: JSONPart { package var part: JSONValue { .string(uuidString.lowercased()) } }

package struct Colour: Sendable {
    private let isOn: Bool

    /// `NO_COLOR` turns colours off if it is not empty (no-color.org), as does a `TERM` of `dumb`.
    package init(isTerminal: Bool, environment: [String: String]) {
        let isUnwanted = !(environment["NO_COLOR"] ?? "").isEmpty
        isOn = isTerminal && !isUnwanted && environment["TERM"] != "dumb"
    }

    package func good(_ text: String) -> String { painted(text, "32") }
    package func warning(_ text: String) -> String { painted(text, "33") }
    package func bad(_ text: String) -> String { painted(text, "1;31") }

    private func painted(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

/// A progress bar on one line of a terminal. A value, so that tests can compare its text.
package struct ProgressLine: Sendable {
    private let what: String
    private let width: Int
    private var drawn = ""

    package init(_ what: String, width: Int) { (self.what, self.width) = (what, width) }

    package mutating func draw(_ done: Int, of total: Int) -> String? {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let (count, all) = (Elapsed.grouped(done), Elapsed.grouped(total))
        let tail = "\(Self.right(String(Int(share * 100)), 3)) %  \(Self.right(count, all.count)) of \(all)"
        let room = width - what.count - tail.count - 5
        var line = "\(what)  \(tail)"
        if room >= 10 {
            let full = Int(share * Double(room))
            let bar = String(repeating: "=", count: full) + String(repeating: " ", count: room - full)
            line = "\(what) [\(bar)] \(tail)"
        }
        guard line != drawn else { return nil }
        drawn = line
        // ECMA-48: go to the start of the line and erase the line.
        return "\r\u{1B}[K" + line.prefix(max(1, width - 1))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    package func clear() -> String? { drawn.isEmpty ? nil : "\r\u{1B}[K" }
}

/// Lines of a given width, with fields in columns. Longer text is wrapped and indented, control characters are removed.
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

    mutating func columns(_ indent: String, _ cells: [(text: String, width: Int)], _ rest: String) {
        let head = cells.reduce(indent) { $0 + $1.text.padded($1.width) }
        let line = rest.isEmpty ? String(head.reversed().drop { $0 == " " }.reversed()) : head + rest
        wrapped(line, indent: min(head.count, width / 2))
    }

    mutating func wrapped(_ text: String, indent: Int) {
        var rest = Substring(text.printable)
        var (lead, least) = ("", indent)
        // One character more than fits: a blank right after the last column also ends the line.
        while rest.count > width - lead.count, let cut = Self.cut(rest, width - lead.count, after: least) {
            lines.append(lead + rest[..<cut])
            rest = rest[cut...].drop { $0 == " " }
            (lead, least) = (String(repeating: " ", count: indent), 0)
        }
        lines.append(lead + rest)
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
