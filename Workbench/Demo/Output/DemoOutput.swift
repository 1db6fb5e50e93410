import Glibc
import Systemd

/// Where the demo's lines are written, and which characters they may have.
package struct DemoOutput: Sendable {
    package var write: @Sendable (String) -> Bool
    package var complain: @Sendable (String) -> Void
    package var width: Int
    /// Whether lines may have escape codes for colours.
    package var hasColour: Bool
    /// Whether lines may have block characters; else `#`.
    package var hasBlocks: Bool

    package init(
        write: @escaping @Sendable (String) -> Bool,
        complain: @escaping @Sendable (String) -> Void = { _ in },
        width: Int = 80,
        hasColour: Bool = false,
        hasBlocks: Bool = true
    ) {
        self.write = write
        self.complain = complain
        self.width = width
        self.hasColour = hasColour
        self.hasBlocks = hasBlocks
    }

    /// Standard output and error. Colours only on a terminal, and not if NO_COLOR is set (https://no-color.org) or TERM
    /// is `dumb`. Blocks only in a UTF-8 locale. As wide as the terminal within 60 to 120 columns; 80 without a
    /// terminal.
    package static func standard(environment: [String: String]? = nil) -> DemoOutput {
        let environment = environment ?? ProcessEnvironment.current()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let look = Self.look(environment: environment, isTerminal: isTerminal)
        return DemoOutput(
            write: { put($0, to: STDOUT_FILENO) },
            complain: { _ = put("nudged: \($0)\n", to: STDERR_FILENO) },
            width: isTerminal ? min(max(terminalColumns() ?? 80, 60), 120) : 80,
            hasColour: look.hasColour,
            hasBlocks: look.hasBlocks
        )
    }

    static func look(environment: [String: String], isTerminal: Bool) -> (hasColour: Bool, hasBlocks: Bool) {
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let encoding = locale.uppercased().filter { $0 != "-" }
        return (isTerminal && !refuses && environment["TERM"] != "dumb", encoding.hasSuffix("UTF8"))
    }

    private static func terminalColumns() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    private static func put(_ text: String, to descriptor: Int32) -> Bool {
        Array(text.utf8).withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let written = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return false }
                offset += written
            }
            return true
        }
    }
}

/// Adds escape codes for colours if they are understood (ECMA-48, select graphic rendition).
struct Paint: Sendable {
    enum Colour: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case blue = 34
    }

    let isOn: Bool

    func callAsFunction(_ text: String, _ colour: Colour) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}

enum Columns {
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }

    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A number with its noun: `1 push`, `2,000 pushes`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// Wraps a text at `width` columns. Every line but the first is indented by `indent` blanks.
    static func wrapped(_ text: String, width: Int, indent: Int = 0) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
