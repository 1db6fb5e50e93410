internal import HTTP2
import JSON

extension LaneState {
    mutating func take(_ event: ClientEvent, from number: Int) {
        switch event {
        case .capacity(let streams): open(number, streams: streams)
        case .completions(let completions): for completion in completions { complete(completion, on: number) }
        case .goaway(let code, let debug):
            // Apple's GOAWAY carries `{"reason":"…"}`. A second GOAWAY (RFC 9113 section 6.8) changes nothing here.
            let reason = (try? JSONValue(parsing: debug)).flatMap(Answer.reason) ?? "code_\(code)"
            effects.log.append(.goAway(connection: number, reason: reason))
            retire(number)
        // Everything that the connection accepted has completed.
        case .closed(let reason): close(number, why: reason.description, wasFlooded: reason.code == .flooded)
        }
    }

    private mutating func open(_ number: Int, streams: Int) {
        guard let index = index(of: number) else { return }
        links[index].streams = streams
        // The lane can be drained or reconfigured while the connection is dialled.
        guard links[index].phase == .dialing else { return }
        links[index].phase = .open
        links[index].openedAt = now
        effects.log.append(.connectionOpened(connection: number, streams: streams, server: configuration.server))
    }

    /// Ends a connection when its pushes are answered.
    mutating func retire(_ number: Int) {
        guard let index = index(of: number), links[index].isActive else { return }
        links[index].phase = .retiring
        guard !links[index].isProven else { return }
        // One connection may end without an accepted push: its token may be too old, or its server restarts. From the
        // second in a row on, dialling waits, or it would spin.
        fruitless += 1
        if fruitless > 1 { postponeDial(why: "connections end without an accepted push") }
    }

    @discardableResult
    private mutating func postponeDial(why: String) -> Int64 {
        failedDials += 1
        let pause = AdaptiveLimit.backoff.wait(failures: failedDials, random: jitter())
        dialAfter = max(dialAfter, now + pause)
        dialReason = why
        return pause
    }

    private mutating func close(_ number: Int, why: String, wasFlooded: Bool) {
        guard let index = index(of: number) else { return }
        let link = links.remove(at: index)
        // What the connection accepted has completed. The rest was still on its way to it, so it was never written.
        for tag in batches.tags(on: number) { requeue(tag, why: "connection_lost") }
        var pause: Int64 = 0
        switch link.phase {
        // The next connection could be flooded too, however well this one began.
        case _ where wasFlooded: pause = postponeDial(why: why)
        case .closing, .retiring: return
        case .dialing: pause = postponeDial(why: why)
        case .open, .resting:
            if !link.isProven {
                pause = postponeDial(why: why)
            } else if link.hasLostPushes, now - link.openedAt < Self.shortLife {
                // One can be chance. From the second in a row on, dialling waits, because each may lose its pushes.
                shortLived += 1
                if shortLived > 1 { pause = postponeDial(why: why) }
            } else {
                shortLived = 0
            }
        }
        effects.log.append(.connectionLost(connection: number, why: why, retryInMilliseconds: pause))
    }

    mutating func rest(_ number: Int, until: Int64) {
        guard let index = index(of: number), links[index].phase == .open else { return }
        links[index].phase = .resting(until: until)
        effects.log.append(.connectionResting(connection: number, until: until))
    }

    mutating func endRests() {
        for index in links.indices where links[index].restsUntil ?? .max <= now { links[index].phase = .open }
    }

    /// Closes connections that have nothing more to wait for.
    mutating func reap() {
        for index in links.indices where links[index].inFlight == 0 {
            let link = links[index]
            guard link.phase == .retiring || phase == .draining, link.phase != .closing else { continue }
            links[index].phase = .closing
            effects.closes.append(link.number)
        }
    }

    mutating func configure(_ configuration: SenderConfiguration) {
        let old = self.configuration
        self.configuration = configuration
        if old != configuration, old.isLike(configuration) {
            limit.adapt(most: configuration.maxInFlight)
            return
        }
        // The same key keeps its tokens: Apple counts new tokens, and a reload must not add one.
        if !old.hasKey(of: configuration) { tokens = ProviderTokenSchedule(after: tokens.lastNumber) }
        guard phase != .draining else { return }
        // Old connections end when their pushes are answered. Earlier failures no longer count.
        for index in links.indices where links[index].isActive { links[index].phase = .retiring }
        if isStopped { effects.log.append(.laneResumed) }
        phase = .running
        limit = AdaptiveLimit(most: configuration.maxInFlight)
        failedDials = 0
        fruitless = 0
        pauseUntil = .min
        dialAfter = .min
        nextProbe = .min
        expiredToken = nil
        window = RefusalWindow()
        shortLived = 0
        unrelatedOn = nil
    }
}

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

    func capacity(share: Int) -> Int { phase == .open && !hasEnded ? min(streams, isProven ? share : 1) : 0 }

    func space(share: Int) -> Int { max(0, capacity(share: share) - inFlight) }

    var restsUntil: Int64? { if case .resting(let until) = phase { until } else { nil } }

    var isActive: Bool { phase != .retiring && phase != .closing }
}
