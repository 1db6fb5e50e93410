import Base
import Glibc
package import Logging

/// The destination of log lines, shared by all handlers of a process: the journal if standard error goes there, else
/// standard error.
package final class LogOutput: Sendable {
    private let journal: Journal?
    private let stream: DiagnosticStream
    private let now: @Sendable () -> Int64
    /// `untold`: lost lines that no later line has reported.
    private let state: Mutex<(level: Logger.Level, lost: Int, untold: Int)>

    /// `JOURNAL_STREAM` decides, see `Journal.isConnected`. `level`: the lowest that is logged, until a reload.
    package convenience init(environment: [String: String], level: Logger.Level = .info) {
        let journal = Journal.isConnected(environment: environment) ? Journal() : nil
        self.init(journal: journal, descriptor: STDERR_FILENO, level: level, now: { Int64(time(nil)) })
    }

    /// Without a journal, text goes to `descriptor`, which is borrowed and not closed. `now`: seconds since 1970, for
    /// the text. The journal adds its own time.
    package init(journal: Journal?, descriptor: Int32, level: Logger.Level, now: @escaping @Sendable () -> Int64) {
        self.journal = journal
        self.now = now
        stream = DiagnosticStream(descriptor: descriptor)
        state = Mutex((level, 0, 0))
    }

    package var level: Logger.Level { state.withLock { $0.level } }

    package func setLevel(_ level: Logger.Level) { state.withLock { $0.level = level } }

    package var lost: Int { state.withLock { $0.lost } }

    package var isJournal: Bool { journal != nil }

    /// Writes a line. The first line after lost ones gives their number in `lost_lines`.
    func write(_ record: LogRecord) {
        var record = record
        let untold = state.withLock { exchange(&$0.untold, with: 0) }
        if untold > 0 { record.metadata.append(("lost_lines", "\(untold)")) }
        if let journal, journal.send(record.fields) { return }
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

    /// `label`: the part of the daemon that logs, for example `database`. It is `NUDGED_LOGGER` in the journal.
    package init(label: String, output: LogOutput) { (self.label, self.output) = (label, output) }

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

struct LogRecord: Sendable {
    var level: Logger.Level
    var label: String
    var message: String
    /// Sorted by key. Nested values are text.
    var metadata: [(key: String, value: String)]
    var file: String
    var line: UInt
    var function: String

    /// syslog(3): 2 critical, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    var priority: Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The journal's fields. If `event` names an `Event`, the entry also gets its `MESSAGE_ID`.
    var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("MESSAGE", message), ("PRIORITY", "\(priority)"), ("SYSLOG_IDENTIFIER", "nudged"), ("CODE_FILE", file),
            ("CODE_LINE", "\(line)"), ("CODE_FUNC", function), ("NUDGED_LOGGER", label),
        ]
        for (key, value) in metadata {
            fields.append((Journal.fieldName(key), value))
            if key == "event", let event = Event.named(value) { fields.append(("MESSAGE_ID", event.messageID)) }
        }
        return fields
    }

    /// `2026-11-21T10:00:00Z warning database: text  key=value other="a b"`, always one line.
    func humanLine(at seconds: Int64) -> String {
        var line = "\(Self.timestamp(seconds)) \(level.rawValue) \(label): \(Self.escaped(message))"
        for (index, (key, value)) in metadata.enumerated() {
            line += (index == 0 ? "  " : " ") + "\(Self.escaped(key))=\(Self.quoted(value))"
        }
        return line
    }

    /// Escapes unprintable characters as `\n`, `\t` or `\u{…}`, so that outside text can't forge a line or control a
    /// terminal.
    static func escaped(_ text: String) -> String {
        text.replacingUnprintable { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    private static func quoted(_ value: String) -> String {
        let plain = !value.isEmpty && !value.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        if plain { return escaped(value) }
        return "\"" + escaped(String(value.flatMap { $0 == "\"" ? "\\\"" : String($0) })) + "\""
    }

    /// RFC 3339 in UTC with whole seconds, for the years 1 to 9999.
    static func timestamp(_ seconds: Int64) -> String {
        var instant = time_t(min(max(seconds, -62_135_596_800), 253_402_300_799))
        var date = tm()
        gmtime_r(&instant, &date)
        var text = [UInt8](repeating: 0, count: 32)
        // glibc pads a year only with a width.
        let count = text.withUnsafeMutableBytes { strftime($0.baseAddress, $0.count, "%04Y-%m-%dT%TZ", &date) }
        return String(decoding: text[..<count], as: UTF8.self)
    }
}

/// Writes lines to standard error with write(2) and ignores errors. A broken pipe, a full disk or a closed terminal
/// must not end the daemon. (`FileHandle.write` traps on failure.)
struct DiagnosticStream: Sendable {
    /// Borrowed: standard error belongs to the process and is never closed here.
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // By default, writing to a broken pipe ends the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Returns whether the whole line was written. Waits a tenth of a second for a reader that doesn't read.
    func write(_ line: String) -> Bool {
        let bytes = Array((line + "\n").utf8)
        var offset = 0
        while offset < bytes.count {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let answer = poll(&ready, 1, 100)
            if answer < 0 && errno == EINTR { continue }
            guard answer == 1, ready.revents & Int16(POLLOUT) != 0 else { return false }
            let written = bytes.withUnsafeBytes {
                // A ready pipe accepts PIPE_BUF bytes without blocking, but not more (pipe(7)).
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, min(bytes.count - offset, 4096))
            }
            if written < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard written > 0 else { return false }
            offset += written
        }
        return true
    }
}
