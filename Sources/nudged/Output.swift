import Base
import ArgumentParser
import Glibc
import Systemd

/// Writes to standard output and standard error by write(2), so that a full disk or a closed pipe is an ordinary error.
/// All text of all commands goes through here, and none of it can control the terminal.
enum Output {
    /// Writes text to standard output, and a line break. False if that failed.
    ///
    /// - Parameters:
    ///   - isJSON: the text is a JSON document, whose values must stay the same.
    ///   - paint: colours the text after all else was taken out of it.
    @discardableResult
    static func line(_ text: String, isJSON: Bool = false, paint: (String) -> String = { $0 }) -> Bool {
        let shown = isJSON ? text.printableJSON : paint(text.printableLines)
        return write(Array(shown.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        let prefix = Terminal.colour(STDERR_FILENO).bad(errorName) + " "
        _ = write(Array("\(prefix)\(text.printableLines)\n".utf8), to: STDERR_FILENO)
    }

    /// The start of each error.
    static let errorName = "nudged:"

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
