import Logging
import Synchronization

/// What a reporter said.
final class ReporterLines: Sendable {
    private let kept = Mutex<[(line: String, level: Logger.Level, fields: [String: String])]>([])

    /// `level event message`, without an event where there is none.
    var all: [String] { kept.withLock { $0.map(\.line) } }

    /// Each line's metadata.
    var fields: [[String: String]] { kept.withLock { $0.map(\.fields) } }

    /// Each line's priority.
    var levels: [Logger.Level] { kept.withLock { $0.map(\.level) } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: ReporterLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let name = event.metadata?["event"].map { "\($0) " } ?? ""
            let fields = (event.metadata ?? [:]).mapValues { "\($0)" }
            lines.kept.withLock { $0.append(("\(event.level) \(name)\(event.message)", event.level, fields)) }
        }
    }
}
