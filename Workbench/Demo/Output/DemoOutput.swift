import Glibc
import Systemd

/// Where the demo's lines are written, and which characters they may have.
public struct DemoOutput: Sendable {
    /// Writes a text with its newlines. False if it can't be written.
    public var write: @Sendable (String) -> Bool
    /// Writes an error.
    public var complain: @Sendable (String) -> Void
    /// Columns per line.
    public var width: Int
    /// Whether lines may have escape codes for colours.
    public var hasColour: Bool
    /// Whether lines may have block characters; else `#`.
    public var hasBlocks: Bool

    /// An output of the caller's: by default 80 columns wide, without colours.
    public init(
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
    public static func standard(environment: [String: String]? = nil) -> DemoOutput {
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

    /// What the environment allows: colours and blocks.
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
