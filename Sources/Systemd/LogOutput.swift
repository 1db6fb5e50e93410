import Base
import Glibc
package import Logging

/// The destination of log lines, shared by all handlers of a process: the journal if standard error goes there, else
/// standard error.
package final class LogOutput: Sendable {
    /// Nil: text on standard error.
    private let journal: Journal?
    private let stream: DiagnosticStream
    private let now: @Sendable () -> Int64
    /// `untold`: lost lines that no later line has reported.
    private let state: Mutex<(level: Logger.Level, lost: Int, untold: Int)>

    /// - Parameters:
    ///   - environment: `JOURNAL_STREAM` decides, see `Journal.isConnected`.
    ///   - level: The lowest level that is logged. `setLevel` changes it at a reload.
    package convenience init(environment: [String: String], level: Logger.Level = .info) {
        let journal = Journal.isConnected(environment: environment) ? Journal() : nil
        self.init(journal: journal, descriptor: STDERR_FILENO, level: level, now: { Int64(time(nil)) })
    }

    /// - Parameters:
    ///   - journal: Nil for text on `descriptor`.
    ///   - descriptor: Borrowed, not closed.
    ///   - now: Seconds since 1970, for the text form. The journal adds its own time.
    package init(journal: Journal?, descriptor: Int32, level: Logger.Level, now: @escaping @Sendable () -> Int64) {
        self.journal = journal
        self.now = now
        stream = DiagnosticStream(descriptor: descriptor)
        state = Mutex((level, 0, 0))
    }

    /// The lowest level that is logged, for every handler without its own level.
    package var level: Logger.Level { state.withLock { $0.level } }

    /// Changes the level from the next line on.
    package func setLevel(_ level: Logger.Level) { state.withLock { $0.level = level } }

    /// The number of lines that could not be written anywhere.
    package var lost: Int { state.withLock { $0.lost } }

    /// Whether lines go to the journal.
    package var isJournal: Bool { journal != nil }

    /// Writes a line. The first line after lost ones gives their number in `lost_lines`.
    func write(_ record: LogRecord) {
        var record = record
        let untold = state.withLock { state in
            defer { state.untold = 0 }
            return state.untold
        }
        if untold > 0 { record.metadata.append(("lost_lines", "\(untold)")) }
        if let journal, journal.send(record.entry()) { return }
        // Without journald, standard error is usually a broken stream too. Then the line counts as lost.
        if stream.write(record.humanLine(at: now())) { return }
        state.withLock { state in
            state.lost += 1
            state.untold += untold + 1
        }
    }
}

/// Writes swift-log's lines as journal entries with structured fields, or as text on standard error.
///
/// `LoggingSystem.bootstrap { JournalLogHandler(label: $0, output: output) }`. A metadata key `sweep_id` becomes the
/// field `NUDGED_SWEEP_ID`. If the key `event` has the name of an `Event`, `MESSAGE_ID` is set too.
package struct JournalLogHandler: LogHandler {
    private let label: String
    private let output: LogOutput
    private var ownLevel: Logger.Level?

    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    /// The output's level, unless this logger has its own.
    package var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    /// - Parameters:
    ///   - label: The part of the daemon that logs, for example `database`. It is `NUDGED_LOGGER` in the journal.
    ///   - output: Shared by all handlers.
    package init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// A line's own values have priority. Never fails; the output counts lost lines.
    package func log(event: LogEvent) {
        var merged = metadata
        if let provided = metadataProvider?.get() { merged.merge(provided) { _, new in new } }
        if let own = event.metadata { merged.merge(own) { _, new in new } }
        if let error = event.error, merged["error"] == nil { merged["error"] = .string("\(error)") }
        let record = LogRecord(
            level: event.level,
            label: label,
            message: event.message.description,
            metadata: merged.map { ($0.key, Self.text($0.value)) }.sorted { $0.0 < $1.0 },
            file: event.file,
            line: event.line,
            function: event.function
        )
        output.write(record)
    }

    private static func text(_ value: Logger.Metadata.Value) -> String {
        switch value {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array(let values): "[" + values.map(text).joined(separator: ", ") + "]"
        case .dictionary(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ") + "}"
        }
    }
}
