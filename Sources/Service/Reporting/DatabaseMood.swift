import Systemd

/// How PostgreSQL stands as the journal tells it: one line for each change, and one when it is over.
struct DatabaseMood: Sendable {
    /// In words, for the status; nil while it answers.
    private(set) var trouble: String?
    private var event: Event?
    private var since: Int64 = 0
    /// It answers, and this version can't work with its schema.
    var waitsForSchema: Bool { event == .migrationsMissing }
    /// Whether the trouble had a line: one that was kept back needs none for its end.
    private var isTold = false

    /// PostgreSQL failed. True where that is news; then `told` says what became of the line.
    ///
    /// - Parameter now: CLOCK_BOOTTIME milliseconds.
    mutating func failed(_ event: Event, _ words: String, now: Int64) -> Bool {
        // A schema that waits for its migration has words that change with each one.
        let isNews = self.event != event || (event == .migrationsMissing && trouble != words)
        if trouble == nil { since = now }
        trouble = words
        self.event = event
        return isNews
    }

    /// The line of the trouble was written.
    mutating func told() { isTold = true }

    /// PostgreSQL answers. How many milliseconds it was away, where the journal said that it was.
    mutating func answered(now: Int64) -> Int64? {
        guard trouble != nil else { return nil }
        defer { self = DatabaseMood() }
        return isTold ? now - since : nil
    }
}
