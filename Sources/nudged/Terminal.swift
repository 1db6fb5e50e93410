import Daemon
import Glibc

/// What standard output and standard error are.
enum Terminal {
    /// Columns, where it is one and says how many; else 80.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Shows how far the work is, on standard error and only where that is a terminal.
    static func progress<T>(_ what: String, _ work: ((Int, Int) -> Void) async throws -> T) async rethrows -> T {
        guard isatty(STDERR_FILENO) == 1 else { return try await work { _, _ in } }
        var bar = ProgressLine(what, width: width(STDERR_FILENO))
        func show(_ text: String?) {
            if let text { _ = Output.write(Array(text.utf8), to: STDERR_FILENO) }
        }
        defer { show(bar.clear()) }
        return try await work { done, total in show(bar.draw(done, of: total)) }
    }
}
