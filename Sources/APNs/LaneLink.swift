/// One connection, as the lane's state machine sees it.
struct LaneLink: Sendable {
    enum Phase: Sendable, Equatable {
        /// → open, retiring, closing, closed.
        case dialing
        /// → retiring, resting, closing, closed.
        case open
        /// Accepts no pushes until then (429 TooManyProviderTokenUpdates). → open, retiring, closing, closed.
        case resting(until: Int64)
        /// Accepts nothing more and waits for what is in flight. → closing, closed.
        case retiring
        /// Was told to close. → closed.
        case closing
        // There is no case for closed: the link is removed then.
    }

    let number: Int
    var phase = Phase.dialing
    /// The number of streams that SETTINGS allow.
    var streams = 0
    var inFlight = 0
    /// Whether Apple accepted a push here, or answered 410. Until then only one stream is used, as Apple demands.
    var isProven = false
    /// When it was opened, in milliseconds of CLOCK_BOOTTIME.
    var openedAt: Int64 = 0
    /// It broke while pushes were in flight. Their outcome is unknown.
    var hasLostPushes = false
    /// Missed deadlines since the last answer.
    var silence = 0
    /// It refused a submission, so it has ended. Its `closed` event will follow.
    var hasEnded = false
    var use: ProviderTokenSchedule.Use?

    init(number: Int) { self.number = number }

    /// How many streams may be open.
    func capacity(share: Int) -> Int {
        phase == .open && !hasEnded ? min(streams, isProven ? share : 1) : 0
    }

    /// How many more streams may be opened now.
    func space(share: Int) -> Int { max(0, capacity(share: share) - inFlight) }

    /// Whether it counts towards the lane's connections.
    var isActive: Bool { phase != .retiring && phase != .closing }
}
