import Logging
import Synchronization

/// What a reporter said.
final class ReporterLines: Sendable {
    private let kept = Mutex<[String]>([])

    /// `level event message`, without an event where there is none.
    var all: [String] { kept.withLock { $0 } }

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
            lines.kept.withLock { $0.append("\(event.level) \(name)\(event.message)") }
        }
    }
}
