import Base
import Glibc

/// The destination of log lines: the journal if standard error goes there, else standard error.
package final class LogOutput: Sendable {
    private let journal: Journal?
    private let descriptor: Int32
    private let now: @Sendable () -> Int64
    /// `untold`: lost lines that no later line has reported.
    private let state: Mutex<(level: LogLevel, lost: Int, untold: Int)>

    /// `JOURNAL_STREAM` decides, see `Journal.isConnected`.
    package convenience init(environment: [String: String]) {
        let journal = Journal.isConnected(environment: environment) ? Journal() : nil
        self.init(journal: journal, descriptor: STDERR_FILENO, level: .info, now: { Int64(time(nil)) })
    }

    /// Without a journal, text goes to `descriptor`, which is not closed. `now`: seconds since 1970, for the text.
    package init(journal: Journal?, descriptor: Int32, level: LogLevel, now: @escaping @Sendable () -> Int64) {
        (self.journal, self.descriptor, self.now) = (journal, descriptor, now)
        // By default, writing to a broken pipe ends the process.
        signal(SIGPIPE, SIG_IGN)
        state = Mutex((level, 0, 0))
    }

    package func setLevel(_ level: LogLevel) { state.withLock { $0.level = level } }

    package var lost: Int { state.withLock { $0.lost } }

    package var isJournal: Bool { journal != nil }

    /// Writes a line if its level is logged. The first line after lost ones gives their number in `lost_lines`.
    package func write(_ line: LogLine) {
        guard line.event.level >= state.withLock({ $0.level }) else { return }
        var line = line
        let untold = state.withLock { exchange(&$0.untold, with: 0) }
        if untold > 0 { line.metadata.append(("lost_lines", "\(untold)")) }
        if let journal, journal.send(line.fields) { return }
        // Without journald, standard error is usually a broken stream too. Then the line counts as lost.
        if write(line.humanLine(at: now())) { return }
        state.withLock { state in
            state.lost += 1
            state.untold += untold + 1
        }
    }

    /// Returns whether the whole line was written. A broken pipe, a full disk or a closed terminal must not end the
    /// daemon, and a reader that doesn't read delays it by a tenth of a second.
    private func write(_ text: String) -> Bool {
        let bytes = Array((text + "\n").utf8)
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

/// A line of the log. A field `sweep_id` becomes `NUDGED_SWEEP_ID` in the journal.
package struct LogLine: Sendable {
    package let event: Event
    package let message: String
    /// The fields and the event's name, sorted by key.
    package fileprivate(set) var metadata: [(key: String, value: String)]
    private let file: String
    private let line: UInt
    private let function: String

    package init(
        _ event: Event,
        _ message: String,
        _ fields: [String: String] = [:],
        file: String = #fileID,
        line: UInt = #line,
        function: String = #function
    ) {
        (self.event, self.message) = (event, message)
        metadata = fields.merging(["event": event.name]) { $1 }.sorted { $0.key < $1.key }
        (self.file, self.line, self.function) = (file, line, function)
    }

    /// The journal's fields, with the event's id after its name.
    var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("MESSAGE", message), ("PRIORITY", "\(event.level.priority)"), ("SYSLOG_IDENTIFIER", "nudged"),
            ("CODE_FILE", file), ("CODE_LINE", "\(line)"), ("CODE_FUNC", function), ("NUDGED_LOGGER", "nudged"),
        ]
        for (key, value) in metadata {
            fields.append((Journal.fieldName(key), value))
            if key == "event" { fields.append(("MESSAGE_ID", event.messageID)) }
        }
        return fields
    }

    /// `2026-11-21T10:00:00Z warning nudged: text  key=value other="a b"`, always one line.
    func humanLine(at seconds: Int64) -> String {
        var line = "\(Self.timestamp(seconds)) \(event.level.rawValue) nudged: \(Self.escaped(message))"
        for (index, (key, value)) in metadata.enumerated() {
            line += (index == 0 ? "  " : " ") + "\(Self.escaped(key))=\(Self.quoted(value))"
        }
        return line
    }

    /// Escapes unprintable characters: outside text must not forge a line or control a terminal.
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
