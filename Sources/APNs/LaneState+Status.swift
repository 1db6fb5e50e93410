extension LaneState {
    /// How many pushes may be committed at this instant because their streams are free.
    func freeSlots(now: Int64) -> Int {
        max(0, mostSlots(now: now) - inFlight - queue.count)
    }

    /// What `freeSlots` would be if nothing were in flight. Waiting for more is useless.
    func mostSlots(now: Int64) -> Int { now == self.now ? mostSlots : asOf(now).mostSlots }

    private var mostSlots: Int {
        if isStopped { return isProbeDue ? inFlight + queue.count + 1 : 0 }
        guard refusal == nil else { return 0 }
        let capacity = links.reduce(0) { $0 + $1.capacity(share: configuration.share) }
        guard links.contains(where: { $0.phase == .open }) else {
            // No connection is open: allow one push, so that the lane dials. Pushes on retiring connections don't
            // count.
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
        let rests = links.compactMap { link in
            if case .resting(let until) = link.phase { until } else { nil }
        }
        if let until = rests.min(), !canDial { return .resting(until: until) }
        return .idle
    }

    /// The next instant at which something changes without an event. Nil if nothing will.
    func nextWake(now: Int64) -> Int64? {
        var wake = Int64.max
        for instant in [pauseUntil, dialAfter] where instant > now { wake = min(wake, instant) }
        if isStopped, nextProbe > now { wake = min(wake, nextProbe) }
        for link in links {
            if case .resting(let until) = link.phase, until > now { wake = min(wake, until) }
        }
        if queue.count > 0 { wake = min(wake, max(queue.earliest, now + 1)) }
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
