import Systemd

/// Limits the lines of each kind of event, as its definition says, and counts the others. Pure: `Reporter` writes them.
struct RepeatBook: Sendable {
    /// The lines that were suppressed in a window.
    struct Held: Sendable, Equatable {
        let event: Event
        /// Distinguishes lines of one event, such as by a reason or a lane.
        let about: String
        let count: Int
    }

    private struct Kind: Hashable {
        let event: Event
        let about: String
    }

    /// `lines`: those that were said, and those that were held back.
    private typealias Window = (endsAt: Int64, lines: Int)

    private var windows: [Kind: Window] = [:]
    /// The most windows at a time. At this number all windows end early, and their suppressed lines are reported.
    static let most = 1_000

    /// Whether to write the line, and which suppressed lines to report first. `now`: CLOCK_BOOTTIME milliseconds.
    mutating func admit(_ event: Event, about: String, now: Int64) -> (isSaid: Bool, before: [Held]) {
        guard let repeats = event.repeats else { return (true, []) }
        let kind = Kind(event: event, about: about)
        if let window = windows[kind], now < window.endsAt {
            windows[kind]?.lines += 1
            return (window.lines < repeats.lines, [])
        }
        let before = windows.count < Self.most ? held(windows.removeValue(forKey: kind), kind) : endAll()
        windows[kind] = (now + repeats.seconds * 1000, 1)
        return (true, before)
    }

    mutating func ended(now: Int64) -> [Held] {
        let over = windows.filter { now >= $0.value.endsAt }
        for kind in over.keys { windows[kind] = nil }
        return inOrder(over)
    }

    mutating func endAll() -> [Held] { inOrder(exchange(&windows, with: [:])) }

    private func inOrder(_ windows: [Kind: Window]) -> [Held] {
        windows.flatMap { held($0.value, $0.key) }.sorted { ($0.event.name, $0.about) < ($1.event.name, $1.about) }
    }

    private func held(_ window: Window?, _ kind: Kind) -> [Held] {
        guard let window, let most = kind.event.repeats?.lines, window.lines > most else { return [] }
        return [Held(event: kind.event, about: kind.about, count: window.lines - most)]
    }
}

/// PostgreSQL's state for the journal: one line for each change, and one at the end.
struct DatabaseMood: Sendable {
    /// Why the database can't be used, as text. nil while it answers.
    private(set) var trouble: String?
    private var event: Event?
    /// PostgreSQL does not answer. False also if it answers, but refuses to let this daemon work.
    private(set) var isAway = false
    private var since: Int64 = 0
    /// PostgreSQL answers, but this version can't work with its schema.
    var waitsForSchema: Bool { event == .migrationsMissing }
    /// Whether the failure had a line in the journal. Otherwise its end gets none either.
    private var isTold = false

    /// PostgreSQL failed, and did not answer if `isAway`. Returns whether that is new. If so and the line was written,
    /// call `told`. `now`: CLOCK_BOOTTIME milliseconds.
    mutating func failed(_ event: Event, _ text: String, isAway: Bool = true, now: Int64) -> Bool {
        // While the schema waits for its migration, the text changes with each migration.
        let isNews = self.event != event || (event == .migrationsMissing && trouble != text)
        if trouble == nil { since = now }
        trouble = text
        self.event = event
        self.isAway = isAway
        return isNews
    }

    mutating func told() { isTold = true }

    /// PostgreSQL answers. Returns for how many milliseconds it did not, if the journal has a line about that.
    mutating func answered(now: Int64) -> Int64? {
        guard trouble != nil else { return nil }
        defer { self = DatabaseMood() }
        return isTold ? now - since : nil
    }
}
