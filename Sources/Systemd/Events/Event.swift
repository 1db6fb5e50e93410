public import Logging

/// The journal's events: each with its name, its fixed id, its level, its texts and its fields. They are defined only
/// here.
///
/// `systemd/nudged.catalog` (shown by `journalctl -x`) and the tables of docs/JOURNAL.md are written from these
/// definitions. A test checks that they match. An id never changes, because operators' queries depend on it.
public struct Event: Sendable {
    /// The most lines of an event within a time. Further lines are only counted, and the next line gives the count.
    public struct Repeats: Sendable, Equatable {
        /// The number of lines within the time.
        public let lines: Int
        /// The time in seconds.
        public let seconds: Int64
    }

    /// The value of `NUDGED_EVENT`.
    public let name: String
    /// The event's `MESSAGE_ID`: 32 lower-case hexadecimal digits.
    public let messageID: String
    /// The level of its lines.
    public let level: Logger.Level
    /// A short title.
    public let subject: String
    /// What happened, and what follows from it. `@NUDGED_…@` is replaced by a field's value.
    public let meaning: String
    /// What to do. Nil: nothing.
    public let remedy: String?
    /// The metadata keys of its lines, beside `event` and `repeats`. In the journal they are in capitals after
    /// `NUDGED_`.
    public let fields: [String]
    /// The limit for its lines. Nil: no limit.
    public let repeats: Repeats?

    init(
        _ name: String,
        _ messageID: String,
        _ level: Logger.Level,
        _ subject: String,
        _ meaning: String,
        remedy: String? = nil,
        fields: [String] = [],
        atMost lines: Int? = nil,
        in seconds: Int64 = 60
    ) {
        self.name = name
        self.messageID = messageID
        self.level = level
        self.subject = subject
        self.meaning = meaning
        self.remedy = remedy
        self.fields = fields
        repeats = lines.map { Repeats(lines: $0, seconds: seconds) }
    }

    /// Every event, in groups.
    public static let groups: [(title: String, events: [Event])] = [
        ("The service", service), ("Sweeps", sweeps), ("The database", database), ("Apple", lanes),
        ("Pushes and devices", pushes), ("What the app stored", data), ("Metrics and heartbeat", monitoring),
    ]

    /// Every event in one list.
    public static let all = groups.flatMap(\.events)

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The event with this name.
    public static func named(_ name: String) -> Event? { byName[name] }
}

extension Event: Hashable {
    /// Compares names.
    public static func == (left: Event, right: Event) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
