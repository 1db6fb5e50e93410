import Dispatch
import FoundationEssentials
import Glibc

package enum TextFile {
    /// The file's text, with malformed UTF-8 repaired; nil if it can't be read.
    package static func read(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }

    package static func write(_ path: String, _ text: String) throws(LocalPostgresError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        guard append(text, to: descriptor) else { throw LocalPostgresError(.fileSystem, "writing \(path)") }
    }

    /// False if not all of it could be written.
    package static func append(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// A failure of a local process or cluster. Its context may have file names and the server's start-up log.
package struct LocalPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        case notInstalled, fileSystem, spawnFailed, programFailed
        /// A program did not end in time, or the server did not start in time.
        case timedOut
        case stopped
    }

    package var code: Code
    package var context: String

    init(_ code: Code, _ context: String) { (self.code, self.context) = (code, context) }

    /// A system call failed; errno says why.
    static func system(_ what: String) -> LocalPostgresError {
        LocalPostgresError(.fileSystem, "\(what): \(String(cString: strerror(errno)))")
    }

    package var description: String { "\(code): \(context)" }
}

/// What /proc says of other processes.
package enum ProcessTable {
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// All processes, each with the fields of its stat after the name in parentheses: state, parent and so on (proc(5)).
    package static func all() -> [(id: Int32, fields: [Substring])] { all(in: "/proc") }

    /// Whether a stop signal has reached all threads of a process.
    package static func stands(_ id: Int32) -> Bool {
        all(in: "/proc/\(id)/task").allSatisfy { $0.fields.first == "T" }
    }

    private static func all(in folder: String) -> [(id: Int32, fields: [Substring])] {
        names(in: folder).compactMap { name in
            // The name may have any characters. After the last parenthesis there are only numbers and the state.
            guard let id = Int32(name), let stat = TextFile.read("\(folder)/\(id)/stat"),
                let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 15
            else { return nil }
            return (id, fields)
        }
    }
}

/// Runs blocking work on a thread of its own. The cooperative pool has only as many threads as the machine has cores,
/// and Dispatch's global queues grow slowly when theirs are blocked.
package func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "nudged.blocking").async { continuation.resume(with: Result { try work() }) }
    }
}
