import Glibc
import LocalPostgres
import Systemd

/// Where the demo's lines are written, and which characters they may have.
package struct DemoOutput: Sendable {
    var write: @Sendable (String) -> Bool
    var complain: @Sendable (String) -> Void
    var width = 80
    var hasColour = false
    /// Whether lines may have block characters; else `#`.
    var hasBlocks = true

    /// Standard output and error. Colours only on a terminal, and without NO_COLOR (https://no-color.org) and TERM
    /// `dumb`. Blocks only in a UTF-8 locale. As wide as the terminal within 60 to 120 columns, else 80.
    package static func standard() -> DemoOutput {
        let environment = ProcessEnvironment.current()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return DemoOutput(
            write: { TextFile.append($0, to: STDOUT_FILENO) },
            complain: { _ = TextFile.append("nudged: \($0)\n", to: STDERR_FILENO) },
            width: isTerminal ? min(max(terminalColumns() ?? 80, 60), 120) : 80,
            hasColour: isTerminal && !refuses && environment["TERM"] != "dumb",
            hasBlocks: locale.uppercased().filter { $0 != "-" }.hasSuffix("UTF8")
        )
    }

    private static func terminalColumns() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension DemoOutput {
    /// ECMA-48, select graphic rendition.
    enum Colour: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case blue = 34
    }

    func paint(_ text: String, _ colour: Colour) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}

enum Columns {
    static func right(_ text: String, _ width: Int) -> String { blanks(width - text.count) + text }

    static func left(_ text: String, _ width: Int) -> String { text + blanks(width - text.count) }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    static func wrapped(_ text: String, width: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(word)
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
