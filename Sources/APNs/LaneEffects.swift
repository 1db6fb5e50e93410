/// What the performer does after an event, in this order.
struct LaneEffects: Sendable {
    /// Pushes for one connection, under one provider token.
    struct Submission: Sendable {
        let link: Int
        let token: ProviderTokenSchedule.Minted
        /// The pushes, by what they were handed over in.
        var parts: [Part] = []

        /// Some pushes of one batch.
        struct Part: Sendable {
            /// Where `LaneFlights` keeps it.
            let place: Int32
            let pushes: PushBatch
            var entries: [Entry] = []
        }

        /// One push.
        struct Entry: Sendable {
            /// Its flight's name.
            let tag: UInt64
            let writeBy: Int64
            /// Which of the batch's kinds and texts are its.
            let kind: Int32
            let text: Int32
        }

        /// The names of all.
        var tags: [UInt64] { parts.flatMap { $0.entries.map(\.tag) } }
    }

    /// A result and whose it is.
    struct Resolved: Sendable {
        let batch: Int
        let result: PushResult
    }

    /// Connections to open.
    var dials: [Int] = []
    var submissions: [Submission] = []
    /// Connections to close at once: nothing is in flight on them, or it is given up.
    var closes: [Int] = []
    var results: [Resolved] = []
    /// Pushes whose devices are to be quarantined: their results were given before.
    var condemned: [VerdictWindow.Suspect] = []
    var log: [SenderEvent] = []
}
