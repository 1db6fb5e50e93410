extension LaneState {
    /// How many pushes may be committed at an instant: their streams are free.
    func freeSlots(now: Int64) -> Int {
        max(0, mostSlots(now: now) - inFlight - queue.count)
    }

    /// `freeSlots` if nothing were in flight: waiting for more than that is of no use.
    func mostSlots(now: Int64) -> Int {
        var lane = self.asOf(now)
        lane.endRests()
        if lane.isStopped { return lane.isProbeDue ? lane.inFlight + lane.queue.count + 1 : 0 }
        guard lane.refusal == nil else { return 0 }
        let capacity = lane.links.reduce(0) { $0 + $1.capacity(share: limits.share) }
        guard lane.links.contains(where: { $0.phase == .open }) else {
            // Nothing is open: one push, to make it dial. What retiring connections still await does not count.
            return lane.inFlight + 1
        }
        // Pushes on connections that take nothing more fill no stream of those that do.
        let elsewhere = lane.links.reduce(0) { $0 + ($1.phase == .open ? 0 : $1.inFlight) }
        return min(limits.maxInFlight, limit.limit, capacity + elsewhere)
    }

    /// How the lane stands at an instant.
    func status(now: Int64) -> LaneStatus {
        var lane = self.asOf(now)
        lane.endRests()
        switch phase {
        case .draining: return .draining
        case .stopped(let reason, let mend): return .stopped(reason: reason, mend: mend, nextProbe: nextProbe)
        case .running: break
        }
        if now < pauseUntil { return .backingOff(until: pauseUntil, why: "Apple answers \(pauseReason)") }
        if lane.links.contains(where: { $0.phase == .open }) { return .open }
        if lane.links.contains(where: { $0.phase == .dialing }) { return .connecting }
        if now < dialAfter { return .backingOff(until: dialAfter, why: dialReason) }
        let rests = lane.links.compactMap { link in
            if case .resting(let until) = link.phase { until } else { nil }
        }
        if let until = rests.min(), !lane.canDial { return .resting(until: until) }
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
        var copy = self
        copy.now = now
        return copy
    }
}
