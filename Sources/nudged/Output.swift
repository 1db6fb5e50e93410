import ArgumentParser
import Glibc

/// Writes to standard output and standard error by write(2), so that a full disk or a closed pipe is an ordinary error.
enum Output {
    /// Writes a line to standard output. False if that failed.
    @discardableResult
    static func line(_ text: String) -> Bool { write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func error(_ text: String) { _ = write(Array("\(errorPrefix)\(text)\n".utf8), to: STDERR_FILENO) }

    /// The start of each error.
    static var errorPrefix: String { Terminal.colour(STDERR_FILENO).bad("nudged:") + " " }

    /// Reports the error in `errno`. The exit code is EX_IOERR of sysexits(3).
    static func failure(_ what: String) -> ExitCode {
        // If the reader has closed the pipe (`| head`), only the exit status tells it.
        if errno != EPIPE { error("\(what): \(String(cString: strerror(errno)))") }
        return ExitCode(74)
    }

    /// Writes all bytes. False if not all could be written; `errno` has the reason.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
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
