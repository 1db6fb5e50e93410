internal import HTTP2

/// One lane (key, environment, topic) as a value: events in, effects out. It reads no clock and opens no socket.
///
/// Two invariants. Every push that comes in by `send` leaves by `results` exactly once. A push that one connection has
/// goes to another only after the first reported it unsent, or Apple answered that it did not accept it.
struct LaneState: Sendable {
    enum Phase: Sendable, Equatable {
        /// → stopped, draining.
        case running
        /// Apple refuses the configuration. → running (a probe was accepted, or a new configuration), draining.
        case stopped(reason: String, remedy: String)
        /// No further state.
        case draining
    }

    /// 5xx answers since the last log line about them.
    struct Storm: Sendable {
        var count = 0
        var lastStatus = 0
        var lastReason = ""
        var nextLine = Int64.min
    }

    var limits: LaneLimits
    var phase = Phase.running
    var links: [LaneLink] = []
    var flights = LaneFlights()
    var queue = LaneQueue()
    var limit: AdaptiveLimit
    /// Failed attempts to connect since the last accepted push.
    var failedDials = 0
    var storm = Storm()
    var window = RefusalWindow()
    /// Nothing is sent before this instant (failures at a limit of one, or a push without resends).
    var pauseUntil = Int64.min
    var pauseReason = ""
    /// Nothing is dialled before this instant.
    var dialAfter = Int64.min
    var dialReason = ""
    /// Connections in a row that retired without an accepted push.
    var fruitless = 0
    /// Connections in a row that broke with pushes in flight soon after they were opened.
    var shortLived = 0
    /// The last connection where Apple answered UnrelatedKeyIdInToken. Nil after a push was accepted on another one.
    var unrelatedOn: Int?
    var nextProbe = Int64.min
    var isProbing = false
    /// The last token that Apple called expired. Nil after a later one was accepted.
    var expiredToken: Int?
    var lastLink = 0
    /// Pushes in flight on all connections.
    var inFlight = 0

    /// Set at the start of `handle` and valid for one event.
    var now: Int64 = 0
    var wall: Int64 = 0
    var tokens = ProviderTokenSchedule()
    var effects = LaneEffects()
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    init(limits: LaneLimits, jitter: @escaping @Sendable () -> Double) {
        self.limits = limits
        self.jitter = jitter
        limit = AdaptiveLimit(most: limits.maxInFlight)
    }

    /// Takes an event and returns what to do.
    ///
    /// - Parameters:
    ///   - now: Milliseconds of CLOCK_BOOTTIME.
    ///   - wall: Milliseconds since 1970.
    ///   - tokens: The lane's schedule. The caller holds its lock.
    mutating func handle(
        _ event: LaneEvent,
        now: Int64,
        wall: Int64,
        tokens: inout ProviderTokenSchedule
    ) -> LaneEffects {
        self.now = now
        self.wall = wall
        self.tokens = tokens
        endRests()
        take(event)
        take(window.tick(now: now))
        expireWaiting()
        pump()
        reap()
        reportStorm()
        tokens = self.tokens
        let effects = self.effects
        self.effects = LaneEffects()
        return effects
    }

    private mutating func take(_ event: LaneEvent) {
        switch event {
        case .send(let pushes, let batch):
            let place = flights.keep(pushes, batch: batch)
            for index in pushes.entries.indices { admit(pushes, index, at: place, batch: batch) }
            flights.release(place)
        case .opened(let link, let streams):
            open(link, streams: streams)
        case .capacity(let link, let streams):
            change(link) { $0.streams = max(streams, 0) }
        case .completions(let link, let completions):
            effects.results.reserveCapacity(completions.count)
            for completion in completions { complete(completion, on: link) }
        case .notTaken(let link, let tags):
            // Otherwise these pushes would go to the same connection again until they had no resend left.
            change(link) { $0.hasEnded = true }
            for tag in tags { complete(Completion(tag: tag, result: .unsent(.connectionLost)), on: link) }
        case .unsigned(let link, let tags, let why):
            stop(reason: "unsigned_token", remedy: "use the .p8 file from Apple's developer site unchanged (\(why))")
            for tag in tags { complete(Completion(tag: tag, result: .unsent(.closed)), on: link) }
        case .goAway(let link, let reason):
            goAway(link, reason: reason)
        case .closed(let link, let why, let wasFlooded):
            close(link, why: why, wasFlooded: wasFlooded)
        case .tick:
            break
        case .concludeWindow:
            take(window.close())
        case .limitsChanged(let limits):
            self.limits = limits
            limit.adapt(most: limits.maxInFlight)
        case .reconfigured(let limits):
            reconfigure(limits)
        case .drain:
            phase = .draining
            // No device is blamed. The pushes to these devices are retried later.
            window = RefusalWindow()
        case .cutOff:
            phase = .draining
            for index in links.indices where links[index].phase != .closing {
                links[index].phase = .closing
                effects.closes.append(links[index].number)
            }
        }
    }

    var isDrained: Bool { phase == .draining && links.isEmpty && flights.count == 0 }

    mutating func change(_ number: Int, _ body: (inout LaneLink) -> Void) {
        guard let index = links.firstIndex(where: { $0.number == number }) else { return }
        body(&links[index])
    }
}
