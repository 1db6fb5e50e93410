import ArgumentParser
import Glibc

/// Standard input as lines of bytes.
enum Input {
    private static let chunk = 65_536

    /// Calls `body` with the lines that have arrived, several at a time; a person who types gets an answer a line, a pipe is read in large pieces.
    /// Ends at the end of the input, or where `body` returns false (nobody reads the answers any more).
    static func forEachLines(_ body: ([ArraySlice<UInt8>]) -> Bool) throws {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = read(STDIN_FILENO, &buffer, chunk)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Output.failure("the input can't be read") }
            let newline = UInt8(ascii: "\n")
            // Only what has just come is searched: a line of 100 MB comes in a thousand pieces.
            let isComplete = buffer[..<count].contains(newline)
            pending += buffer[..<count]
            if count > 0 && !isComplete { continue }
            var lines = pending.split(separator: newline, omittingEmptySubsequences: false)
            // What follows the last newline is no line yet, unless the input is over.
            let rest = lines.removeLast()
            if count == 0, !rest.isEmpty { lines.append(rest) }
            if !lines.isEmpty, !body(lines) { throw Output.failure("the answers can't be written") }
            if count == 0 { return }
            pending = Array(rest)
        }
    }
}
