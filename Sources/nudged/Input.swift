import ArgumentParser
import Glibc

/// Standard input as lines of bytes.
enum Input {
    private static let chunk = 65_536

    /// Calls `body` with all complete lines that have arrived: typed lines one by one, lines from a pipe many at a
    /// time. Ends at the end of the input.
    ///
    /// - Throws: an exit code if the input can't be read, or if `body` returns false because the answers can't be
    ///   written.
    static func forEachLines(_ body: ([ArraySlice<UInt8>]) -> Bool) throws {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = read(STDIN_FILENO, &buffer, chunk)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Output.failure("the input can't be read") }
            let newline = UInt8(ascii: "\n")
            // Only new bytes are searched: a line of 100 MB arrives in more than a thousand pieces.
            let isComplete = buffer[..<count].contains(newline)
            pending += buffer[..<count]
            if count > 0 && !isComplete { continue }
            var lines = pending.split(separator: newline, omittingEmptySubsequences: false)
            // Bytes after the last newline are no complete line, except at the end of the input.
            let rest = lines.removeLast()
            if count == 0, !rest.isEmpty { lines.append(rest) }
            if !lines.isEmpty, !body(lines) { throw Output.failure("the answers can't be written") }
            if count == 0 { return }
            pending = Array(rest)
        }
    }
}
