/// A lane's status for `STATUS=`, the journal and `nudged status`. Instants are milliseconds of CLOCK_BOOTTIME.
package enum LaneStatus: Sendable, Equatable {
    /// No connection. The next push opens one.
    case idle
    /// At least one connection accepts pushes.
    case open
    /// A connection is being made, and none is open.
    case connecting
    /// Nothing is sent until then: connections fail, or Apple answers with errors.
    case backingOff(until: Int64, why: String)
    /// Apple refuses the configuration. One push a minute probes whether it works again.
    case stopped(reason: String, remedy: String, nextProbe: Int64)
    case resting(until: Int64)
    /// No new pushes are accepted. The lane waits for those in flight.
    case draining

    package var text: String {
        switch self {
        case .idle: "no connection to the push service needed yet"
        case .open: "connected to the push service"
        case .connecting: "connecting to the push service"
        case .backingOff(_, let why): "waiting before the next try: \(why)"
        case .stopped(let reason, let remedy, _): "sending is stopped, \(Self.cause(reason)): \(remedy)"
        case .resting: "sending nothing for 20 minutes (Apple answers TooManyProviderTokenUpdates)"
        case .draining: "stopping: waiting for the last answers"
        }
    }

    /// A reason as text. Apple's reasons begin with a capital letter, nudged's are in snake case.
    package static func cause(_ reason: String) -> String {
        switch reason {
        case "unsigned_token": "no provider token can be signed"
        case "connection_lost", "connection_closed": "connections break"
        case "goaway": "the server closes its connections"
        case "refused_stream": "Apple refuses streams"
        case "no_answer_in_time": "Apple does not answer in time"
        default: "Apple answers \(reason)"
        }
    }
}

/// What the sender reports to its log. No case holds a token, a key, a payload or a device.
package enum SenderEvent: Sendable, Equatable {
    /// Apple refuses the configuration. The work stays pending.
    case laneStopped(reason: String, remedy: String)
    /// A probe was accepted, or the configuration changed.
    case laneResumed
    /// TLS and SETTINGS are complete.
    case connectionOpened(connection: Int, streams: Int, server: SenderConfiguration.Endpoint)
    /// A connection ended, or could not be made. `retryInMilliseconds`: the wait before the next attempt, or 0.
    case connectionLost(connection: Int, why: String, retryInMilliseconds: Int64)
    /// A connection is given up because so many pushes in a row got no answer.
    case connectionSilent(connection: Int, unanswered: Int)
    /// Apple sent GOAWAY. `reason` comes from its debug data.
    case goAway(connection: Int, reason: String)
    /// A connection accepts no pushes for 20 minutes (TooManyProviderTokenUpdates).
    case connectionResting(connection: Int, until: Int64)
    /// A provider token was signed. `issuedAt` is in Unix seconds.
    case tokenMinted(keyID: String, issuedAt: Int64)
    /// The number of 5xx answers since the last such event. At most one event per interval.
    case storm(count: Int, lastStatus: Int, lastReason: String)
    /// An answer that only a bug in nudged can cause.
    case ourBug(status: Int, reason: String)
}

extension LaneState {
    /// How many pushes may be committed at this instant because their streams are free.
    func freeSlots(now: Int64) -> Int { max(0, mostSlots(now: now) - inFlight - queue.count) }

    /// What `freeSlots` would be if nothing were in flight. Waiting for more is useless.
    func mostSlots(now: Int64) -> Int { now == self.now ? mostSlots : asOf(now).mostSlots }

    private var mostSlots: Int {
        if isStopped { return isProbeDue ? inFlight + queue.count + 1 : 0 }
        guard refusal == nil else { return 0 }
        let capacity = links.reduce(0) { $0 + $1.capacity(share: configuration.share) }
        guard links.contains(where: { $0.phase == .open }) else {
            // No connection is open: allow one push, so that the lane dials. Those on retiring connections don't count.
            return inFlight + 1
        }
        // Pushes on connections that accept nothing more fill no stream of the open ones.
        let elsewhere = links.reduce(0) { $0 + ($1.phase == .open ? 0 : $1.inFlight) }
        return min(configuration.maxInFlight, limit.limit, capacity + elsewhere)
    }

    func status(now: Int64) -> LaneStatus { now == self.now ? status : asOf(now).status }

    private var status: LaneStatus {
        switch phase {
        case .draining: return .draining
        case .stopped(let reason, let remedy): return .stopped(reason: reason, remedy: remedy, nextProbe: nextProbe)
        case .running: break
        }
        if now < pauseUntil { return .backingOff(until: pauseUntil, why: LaneStatus.cause(pauseReason)) }
        if links.contains(where: { $0.phase == .open }) { return .open }
        if links.contains(where: { $0.phase == .dialing }) { return .connecting }
        if now < dialAfter { return .backingOff(until: dialAfter, why: dialReason) }
        if let until = links.compactMap(\.restsUntil).min(), !canDial { return .resting(until: until) }
        return .idle
    }

    /// The next instant at which something changes without an event. Nil if nothing will.
    func nextWake(now: Int64) -> Int64? {
        var wake = Int64.max
        for instant in [pauseUntil, dialAfter] where instant > now { wake = min(wake, instant) }
        if isStopped, nextProbe > now { wake = min(wake, nextProbe) }
        for case let until? in links.lazy.map({ $0.restsUntil }) where until > now { wake = min(wake, until) }
        if queue.count > 0 { wake = min(wake, max(earliestWriteBy, now + 1)) }
        if let closes = window.closesAt { wake = min(wake, max(closes, now + 1)) }
        if storm.count > 0 { wake = min(wake, max(storm.nextLine, now + 1)) }
        return wake == .max ? nil : wake
    }

    private func asOf(_ now: Int64) -> LaneState {
        // A copy costs about twenty reference counts. The callers avoid it at the instant of the last event.
        var copy = self
        copy.now = now
        copy.endRests()
        return copy
    }
}
