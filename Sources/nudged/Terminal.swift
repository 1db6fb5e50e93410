import Operator
import Glibc
import Synchronization
import Systemd

/// Properties of standard output and standard error.
enum Terminal {
    /// The terminal's columns; 80 if it is no terminal or reports fewer than 20.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Colours for text that is written to `descriptor`.
    static func colour(_ descriptor: Int32) -> Colour {
        Colour(isTerminal: isatty(descriptor) == 1, environment: ProcessEnvironment.current())
    }

    /// Whether block characters can be shown: the locale is UTF-8.
    static var hasBlocks: Bool {
        let environment = ProcessEnvironment.current()
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return locale.uppercased().filter { $0 != "-" }.hasSuffix("UTF8")
    }

    /// Shows the progress of `work` on standard error, if that is a terminal.
    static func progress<T>(
        _ what: String,
        _ work: (@escaping @Sendable (Int, Int) -> Void) async throws -> T
    ) async rethrows -> T {
        guard isatty(STDERR_FILENO) == 1 else { return try await work { _, _ in } }
        let bar = Mutex(ProgressLine(what, width: width(STDERR_FILENO)))
        defer { show(bar.withLock { $0.clear() }) }
        return try await work { done, total in show(bar.withLock { $0.draw(done, of: total) }) }
    }

    private static func show(_ text: String?) {
        if let text { _ = Output.write(Array(text.utf8), to: STDERR_FILENO) }
    }
}
