extension LaneState {
    /// How many pushes may be committed at an instant: their streams are free.
    func freeSlots(now: Int64) -> Int {
        max(0, mostSlots(now: now) - inFlight - queue.count)
    }

    /// `freeSlots` if nothing were in flight: waiting for more than that is of no use.
    func mostSlots(now: Int64) -> Int { now == self.now ? mostSlots : asOf(now).mostSlots }

    /// `mostSlots` at the instant of the last event.
    private var mostSlots: Int {
        if isStopped { return isProbeDue ? inFlight + queue.count + 1 : 0 }
        guard refusal == nil else { return 0 }
        let capacity = links.reduce(0) { $0 + $1.capacity(share: limits.share) }
        guard links.contains(where: { $0.phase == .open }) else {
            // Nothing is open: one push, to make it dial. What retiring connections still await does not count.
            return inFlight + 1
        }
        // Pushes on connections that take nothing more fill no stream of those that do.
        let elsewhere = links.reduce(0) { $0 + ($1.phase == .open ? 0 : $1.inFlight) }
        return min(limits.maxInFlight, limit.limit, capacity + elsewhere)
    }

    /// How the lane stands at an instant.
    func status(now: Int64) -> LaneStatus { now == self.now ? status : asOf(now).status }

    /// The status at the instant of the last event.
    private var status: LaneStatus {
        switch phase {
        case .draining: return .draining
        case .stopped(let reason, let mend): return .stopped(reason: reason, mend: mend, nextProbe: nextProbe)
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

    /// The next instant at which something changes by itself; nil where nothing does.
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
        // A copy costs some twenty reference counts; after an event nobody asks about another instant.
        var copy = self
        copy.now = now
        copy.endRests()
        return copy
    }
}
