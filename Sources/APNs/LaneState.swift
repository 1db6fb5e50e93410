internal import HTTP2

/// What happens to a lane. Connections are identified by their numbers.
enum LaneEvent: Sendable {
    case send(PushBatch, PushReceiver)
    case connection(Int, ClientEvent)
    /// A connection refused these pushes because it is closed. None of them was written.
    case notTaken(Int, Range<UInt64>)
    /// The token for these pushes could not be signed. None of them was written.
    case unsigned(Int, Range<UInt64>, why: String)
    /// The instant of `nextWake` has come.
    case tick
    /// Nothing more is sent for now: decide about the refused tokens with the answers so far.
    case concludeWindow
    case configured(SenderConfiguration)
    /// Accept nothing more and wait for what is in flight.
    case drain
    /// Stop waiting.
    case cutOff
}

/// What to do after an event, in this order.
struct LaneEffects: Sendable {
    /// Pushes of one batch and type for one connection with one provider token.
    struct Submission: Sendable {
        let link: Int
        let token: ProviderTokenSchedule.Minted
        let type: PushType
        let pushes: PushBatch
        let tags: Range<UInt64>

        var firstTag: UInt64 { tags.lowerBound - UInt64(slots.lowerBound) }
        var slots: Range<Int> {
            let first = LaneBatches.slot(tags.lowerBound)
            return first..<first + tags.count
        }
    }

    var dials: [Int] = []
    var submissions: [Submission] = []
    /// Connections to close at once: nothing is in flight on them, or they are given up.
    var closes: [Int] = []
    var deliveries: [(receiver: PushReceiver, results: [PushResult])] = []
    /// Pushes whose devices are to be quarantined. Their results were delivered earlier.
    var condemned: [RefusalWindow.Suspect] = []
    var log: [SenderEvent] = []

    mutating func deliver(_ result: PushResult, to receiver: PushReceiver) {
        // Outcomes of one batch usually come in sequence.
        let last = deliveries.count - 1
        if last >= 0, deliveries[last].receiver === receiver { return deliveries[last].results.append(result) }
        if let place = deliveries.firstIndex(where: { $0.receiver === receiver }) {
            return deliveries[place].results.append(result)
        }
        deliveries.append((receiver, [result]))
    }
}

/// One lane (key, environment, topic) as a value: events in, effects out. It reads no clock and opens no socket.
///
/// Two invariants. Every push that comes in by `send` leaves by `deliveries` exactly once. A push that one connection
/// has goes to another only after the first reported it unsent, or Apple answered that it did not accept it.
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

    static let resends = 3
    /// Milliseconds between two probes of a stopped lane.
    static let probeInterval: Int64 = 60_000
    /// Milliseconds that a connection rests after TooManyProviderTokenUpdates.
    static let rest: Int64 = 1_200_000
    /// Milliseconds between two log lines about 5xx answers.
    static let stormInterval: Int64 = 10_000
    /// A connection that breaks within these milliseconds counts as short-lived.
    static let shortLife: Int64 = 10_000
    /// After this many missed deadlines in a row, a connection counts as dead.
    static let silence = 3

    var configuration: SenderConfiguration
    var phase = Phase.running
    var links: [LaneLink] = []
    var batches = LaneBatches()
    /// Pushes that wait for a stream, in the order of their submission.
    var queue: [UInt64] = []
    /// At most the earliest `writeBy` of the waiting pushes. Can be too early after some have left.
    var earliestWriteBy = Int64.max
    var limit: AdaptiveLimit
    /// Failed attempts to connect since the last accepted push.
    var failedDials = 0
    var storm = Storm()
    var window = RefusalWindow()
    var tokens = ProviderTokenSchedule()
    /// Nothing is sent before this instant (failures at a limit of one, or a push without resends).
    var pauseUntil = Int64.min
    var pauseReason = ""
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

    /// Milliseconds of CLOCK_BOOTTIME, and since 1970. Set at the start of `handle` and valid for one event.
    var now: Int64 = 0
    var wall: Int64 = 0
    var effects = LaneEffects()
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    init(_ configuration: SenderConfiguration, jitter: @escaping @Sendable () -> Double) {
        (self.configuration, self.jitter) = (configuration, jitter)
        limit = AdaptiveLimit(most: configuration.maxInFlight)
    }

    /// Takes an event and returns what to do.
    mutating func handle(_ event: LaneEvent, now: Int64, wall: Int64) -> LaneEffects {
        (self.now, self.wall) = (now, wall)
        endRests()
        take(event)
        take(window.tick(now: now))
        expireWaiting()
        pump()
        reap()
        reportStorm()
        return exchange(&effects, with: LaneEffects())
    }

    private mutating func take(_ event: LaneEvent) {
        switch event {
        case .send(let pushes, let receiver):
            for tag in batches.keep(pushes, for: receiver) { admit(tag, of: pushes) }
        case .connection(let link, let event): take(event, from: link)
        case .notTaken(let link, let tags):
            // Otherwise these pushes would go to the same connection again until they had no resend left.
            change(link) { $0.hasEnded = true }
            for tag in tags { complete(Completion(tag: tag, result: .unsent(.connectionLost)), on: link) }
        case .unsigned(let link, let tags, let why):
            stop(reason: "unsigned_token", remedy: "use the .p8 file from Apple's developer site unchanged (\(why))")
            for tag in tags { complete(Completion(tag: tag, result: .unsent(.closed)), on: link) }
        case .tick: break
        case .concludeWindow: take(window.close())
        case .configured(let configuration): configure(configuration)
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

    var isDrained: Bool { phase == .draining && links.isEmpty && batches.isEmpty }

    var inFlight: Int { links.reduce(0) { $0 + $1.inFlight } }

    func index(of number: Int) -> Int? { links.firstIndex { $0.number == number } }

    mutating func change(_ number: Int, _ body: (inout LaneLink) -> Void) {
        if let index = index(of: number) { body(&links[index]) }
    }
}
