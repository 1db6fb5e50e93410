public import Logging

/// What the journal tells: each event with its name, its fixed id, its priority, its words and its fields. The one place for them.
///
/// `systemd/nudged.catalog` (what `journalctl -x` shows) and the tables of docs/JOURNAL.md are written from these definitions, and a test holds them
/// equal. Ids are random once and then for ever: operators' queries build on them.
public struct Event: Sendable {
    /// How often it is said within so many seconds; what is kept back is counted, and the count is said.
    public struct Repeats: Sendable, Equatable {
        /// Lines of one kind within the time.
        public let lines: Int
        /// The time.
        public let seconds: Int64
    }

    /// The value of `NUDGED_EVENT`.
    public let name: String
    /// The event's `MESSAGE_ID`: 32 lower-case hexadecimal digits.
    public let messageID: String
    /// Its priority.
    public let level: Logger.Level
    /// A few words for it.
    public let subject: String
    /// What happened, and what follows from it. `@NUDGED_…@` stands for a field's value.
    public let meaning: String
    /// What to do; nil: nothing.
    public let mend: String?
    /// The metadata keys that its lines have, beside `event` and `repeats`. In the journal they are in capitals after `NUDGED_`.
    public let fields: [String]
    /// nil: every one is said.
    public let repeats: Repeats?

    init(
        _ name: String,
        _ messageID: String,
        _ level: Logger.Level,
        _ subject: String,
        _ meaning: String,
        mend: String? = nil,
        fields: [String] = [],
        atMost lines: Int? = nil,
        in seconds: Int64 = 60
    ) {
        self.name = name
        self.messageID = messageID
        self.level = level
        self.subject = subject
        self.meaning = meaning
        self.mend = mend
        self.fields = fields
        repeats = lines.map { Repeats(lines: $0, seconds: seconds) }
    }

    /// Every event, by groups.
    public static let groups: [(title: String, events: [Event])] = [
        ("The service", service), ("Sweeps", sweeps), ("The database", database), ("Apple", lanes),
        ("Pushes and devices", pushes), ("What the app stored", data), ("Metrics and heartbeat", monitoring),
    ]

    /// Every event.
    public static let all = groups.flatMap(\.events)

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The event of that name.
    public static func named(_ name: String) -> Event? { byName[name] }
}

extension Event: Hashable {
    /// By name.
    public static func == (left: Event, right: Event) -> Bool { left.name == right.name }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
