package import Logging

/// An event of the journal: its name, its fixed id, its level, its subject and its fields.
///
/// What it means and what to do is in `systemd/nudged.catalog`, by the id (`journalctl -x`). The tables of
/// docs/JOURNAL.md are written from both, and tests compare them. An id never changes, because operators' queries depend
/// on it.
package struct Event: Sendable {
    /// The most lines of an event within a time. Further lines are only counted, and the next line gives the count.
    package struct Repeats: Sendable {
        package let lines: Int
        package let seconds: Int64
    }

    /// The value of `NUDGED_EVENT`.
    package let name: String
    /// The event's `MESSAGE_ID`: 32 lower-case hexadecimal digits.
    package let messageID: String
    package let level: Logger.Level
    /// A short title.
    package private(set) var subject = ""
    /// The metadata keys of its lines, beside `event` and `repeats`. In the journal they are in capitals after
    /// `NUDGED_`.
    package private(set) var fields: [String] = []
    /// The limit for its lines. Nil: no limit.
    package private(set) var repeats: Repeats?

    init(_ name: String, _ messageID: String, _ level: Logger.Level) {
        self.name = name
        self.messageID = messageID
        self.level = level
    }

    /// Adds the subject and the limit for its lines.
    func saying(_ subject: String, atMost lines: Int? = nil, in seconds: Int64 = 60) -> Event {
        var event = self
        event.subject = subject
        event.repeats = lines.map { Repeats(lines: $0, seconds: seconds) }
        return event
    }

    /// Adds the fields.
    func with(_ fields: String...) -> Event {
        var event = self
        event.fields = fields
        return event
    }
}

/// Compared by name.
extension Event: Hashable {
    package static func == (left: Event, right: Event) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
