import Service

/// A progress bar on one line of a terminal. A value, so that tests can compare its text.
package struct ProgressLine: Sendable {
    private let what: String
    private let width: Int
    private var drawn = ""

    /// - Parameters:
    ///   - what: the text before the bar.
    ///   - width: the terminal's columns.
    package init(_ what: String, width: Int) {
        self.what = what
        self.width = width
    }

    /// The text to write. Nil if nothing has changed.
    package mutating func draw(_ done: Int, of total: Int) -> String? {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let percent = String(Int(share * 100))
        let all = Elapsed.grouped(total)
        let count = Elapsed.grouped(done)
        let tail =
            "\(Self.right(percent, 3)) %  \(Self.right(count, all.count)) of \(all)"
        let room = width - what.count - tail.count - 5
        var line = "\(what)  \(tail)"
        if room >= 10 {
            let full = Int(share * Double(room))
            line =
                "\(what) [" + String(repeating: "=", count: full) + String(repeating: " ", count: room - full)
                + "] \(tail)"
        }
        guard line != drawn else { return nil }
        drawn = line
        // ECMA-48: go to the start of the line and erase the line.
        return "\r\u{1B}[K" + line.prefix(max(1, width - 1))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// The text that removes the bar. Nil if none is shown.
    package func clear() -> String? { drawn.isEmpty ? nil : "\r\u{1B}[K" }
}
