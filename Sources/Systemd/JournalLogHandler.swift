public import Logging

/// Writes swift-log's lines as journal entries with structured fields, or as text on standard error.
///
/// `LoggingSystem.bootstrap { JournalLogHandler(label: $0, output: output) }`. A metadata key `sweep_id` becomes the
/// field `NUDGED_SWEEP_ID`. If the key `event` has the name of an `Event`, `MESSAGE_ID` is set too.
public struct JournalLogHandler: LogHandler {
    private let label: String
    private let output: LogOutput
    private var ownLevel: Logger.Level?

    /// The fields of every line of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Gives fields from the task's context.
    public var metadataProvider: Logger.MetadataProvider?

    /// The output's level, unless this logger has its own.
    public var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    /// - Parameters:
    ///   - label: The part of the daemon that logs, for example `database`. It is `NUDGED_LOGGER` in the journal.
    ///   - output: Shared by all handlers.
    public init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    /// One value of the metadata. A line's own values have priority.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes the line. Never fails; the output counts lost lines.
    public func log(event: LogEvent) {
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
