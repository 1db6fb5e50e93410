import ArgumentParser
import Glibc

/// Lines to the terminal or a pipe, by write(2): a full disk or a closed pipe is no trap.
enum Output {
    /// A line to standard output. False where it could not be written.
    @discardableResult
    static func line(_ text: String) -> Bool { write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// A line to standard error.
    static func error(_ text: String) { _ = write(Array("nudged: \(text)\n".utf8), to: STDERR_FILENO) }

    /// EX_IOERR of sysexits(3), said.
    static func failure(_ what: String) -> ExitCode {
        // A pipe that its reader has closed (`| head`) is told by the exit status alone.
        if errno != EPIPE { error("\(what): \(String(cString: strerror(errno)))") }
        return ExitCode(74)
    }

    /// False where not all could be written.
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
