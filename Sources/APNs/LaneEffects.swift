/// What the performer does after an event, in this order.
struct LaneEffects: Sendable {
    /// Pushes for one connection, under one provider token.
    struct Submission: Sendable {
        let link: Int
        let token: ProviderTokenSchedule.Minted
        var pushes: [(tag: UInt64, push: Push)]
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
