/// What to do after an event, in this order.
struct LaneEffects: Sendable {
    /// Pushes for one connection with one provider token.
    struct Submission: Sendable {
        let link: Int
        let token: ProviderTokenSchedule.Minted
        /// The pushes, grouped by the batch they came in.
        var parts: [Part] = []

        /// Some pushes of one batch.
        struct Part: Sendable {
            /// The index of the batch in `LaneFlights`.
            let place: Int32
            let pushes: PushBatch
            var entries: [Entry] = []
        }

        struct Entry: Sendable {
            /// The tag of its flight in `LaneFlights`.
            let tag: UInt64
            let writeBy: Int64
            /// Indices into the batch's `kinds` and `texts`.
            let kind: Int32
            let text: Int32
        }

        var tags: [UInt64] { parts.flatMap { $0.entries.map(\.tag) } }
    }

    /// A result and the batch it belongs to.
    struct Resolved: Sendable {
        let batch: Int
        let result: PushResult
    }

    var dials: [Int] = []
    var submissions: [Submission] = []
    /// Connections to close at once: nothing is in flight on them, or they are given up.
    var closes: [Int] = []
    var results: [Resolved] = []
    /// Pushes whose devices are to be quarantined. Their results were delivered earlier.
    var condemned: [RefusalWindow.Suspect] = []
    var log: [SenderEvent] = []
}
