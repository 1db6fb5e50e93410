import Systemd

/// PostgreSQL's state for the journal: one line for each change, and one at the end.
struct DatabaseMood: Sendable {
    /// As text for the status. nil while it answers.
    private(set) var trouble: String?
    private var event: Event?
    /// PostgreSQL does not answer. False also if it answers, but refuses to let this daemon work.
    private(set) var isAway = false
    private var since: Int64 = 0
    /// PostgreSQL answers, but this version can't work with its schema.
    var waitsForSchema: Bool { event == .migrationsMissing }
    /// Whether the failure had a line in the journal. Otherwise its end gets none either.
    private var isTold = false

    /// PostgreSQL failed. Returns whether that is new. If so and the line was written, call `told`.
    ///
    /// - Parameters:
    ///   - isAway: whether it did not answer.
    ///   - now: CLOCK_BOOTTIME milliseconds.
    mutating func failed(_ event: Event, _ text: String, isAway: Bool = true, now: Int64) -> Bool {
        // While the schema waits for its migration, the text changes with each migration.
        let isNews = self.event != event || (event == .migrationsMissing && trouble != text)
        if trouble == nil { since = now }
        trouble = text
        self.event = event
        self.isAway = isAway
        return isNews
    }

    /// The line about the failure was written.
    mutating func told() { isTold = true }

    /// PostgreSQL answers. Returns for how many milliseconds it did not, if the journal has a line about that.
    mutating func answered(now: Int64) -> Int64? {
        guard trouble != nil else { return nil }
        defer { self = DatabaseMood() }
        return isTold ? now - since : nil
    }
}
