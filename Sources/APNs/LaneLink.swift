/// One connection, as the lane's state machine sees it.
struct LaneLink: Sendable {
    enum Phase: Sendable, Equatable {
        /// → open, closed.
        case dialing
        /// → retiring, resting, closed.
        case open
        /// Takes nothing until then (429 TooManyProviderTokenUpdates). → open, retiring, closed.
        case resting(until: Int64)
        /// Takes nothing more; what is in flight is awaited. → closing, closed.
        case retiring
        /// Told to close. → closed.
        case closing
        // Closed is no case: the link is gone then.
    }

    let number: Int
    var phase = Phase.dialing
    /// The streams that SETTINGS allow.
    var streams = 0
    var inFlight = 0
    /// A push was accepted here: before, one stream is all that is used, as Apple asks.
    var isProven = false
    /// When it was opened, on CLOCK_BOOTTIME.
    var openedAt: Int64 = 0
    /// It broke while pushes were in flight: they are unknown.
    var hasLostPushes = false
    /// Deadlines since the last answer.
    var silence = 0
    /// It did not take what it was given: it has ended, and the word of it is on its way.
    var hasEnded = false
    /// The provider token that it shows.
    var use: ProviderTokenSchedule.Use?

    init(number: Int) {
        self.number = number
    }

    /// The streams that may be open.
    func capacity(share: Int) -> Int {
        phase == .open && !hasEnded ? min(streams, isProven ? share : 1) : 0
    }

    /// The streams that may be opened now.
    func space(share: Int) -> Int {
        max(0, capacity(share: share) - inFlight)
    }

    /// Whether it counts against the lane's connections.
    var isActive: Bool { phase != .retiring && phase != .closing }
}
