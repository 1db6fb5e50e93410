/// What the performer does after an event, in this order.
struct LaneEffects: Sendable {
    /// Pushes for one connection, under one provider token.
    struct Submission: Sendable {
        let link: Int
        let token: ProviderTokenSchedule.Minted
        /// What the pushes were handed over in, and which of these each one is.
        var sources: [[Push]] = []
        var entries: [Entry] = []

        /// One push, by its place: a copy of it would count five references up and down.
        struct Entry: Sendable {
            let tag: UInt64
            let source: Int32
            let index: Int32
        }

        /// The pushes with their names.
        var pushes: [(tag: UInt64, push: Push)] {
            entries.map { ($0.tag, sources[Int($0.source)][Int($0.index)]) }
        }
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
    var log: [SenderEvent] = []
}
