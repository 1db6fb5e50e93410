extension LaneState {
    /// Why the lane can't take a push now. Nil if a push may wait for a stream.
    var refusal: String? {
        switch phase {
        case .draining: return "draining"
        case .stopped(let reason, _): return reason
        case .running: break
        }
        if now < pauseUntil { return pauseReason }
        if links.contains(where: { $0.phase == .open || $0.phase == .dialing }) { return nil }
        if now < dialAfter { return dialReason }
        return canDial ? nil : "resting"
    }

    /// Whether another connection may be dialled now.
    var canDial: Bool {
        now >= dialAfter && links.count(where: \.isActive) < limits.connections
            && !links.contains { $0.phase == .dialing }
    }

    var isProbeDue: Bool {
        guard case .stopped = phase else { return false }
        return !isProbing && now >= nextProbe && now >= dialAfter
    }

    /// Admits push number `index` of the batch that is kept at `place`, or resolves it at once.
    mutating func admit(_ pushes: PushBatch, _ index: Int, at place: Int, batch: Int) {
        let push = pushes.entries[index]
        if let outcome = earlyOutcome(on: push, pushes.kinds[Int(push.kind)].topic) {
            let result = PushResult(tag: push.tag, outcome: outcome, apnsID: nil)
            effects.results.append(.init(batch: batch, result: result))
            return
        }
        var isProbe = false
        if isProbeDue {
            isProbe = true
            isProbing = true
            nextProbe = now + LaneLimits.probeInterval
        }
        let label = LaneFlight.Label(tag: push.tag, apnsID: push.apnsID, writeBy: push.writeBy)
        let flight = flights.insert(
            label,
            at: place,
            kind: push.kind,
            text: push.text,
            isProbe: isProbe,
            isTrial: push.isTrial
        )
        queue.append(flight, writeBy: push.writeBy)
    }

    /// The outcome of a push that is not sent. Nil if it is sent.
    private func earlyOutcome(on push: PushBatch.Entry, _ topic: String) -> PushOutcome? {
        if let fault = push.fault {
            switch fault {
            case .payloadTooLarge: return .payloadTooLarge
            case .invalidCollapseID: return .invalidCollapseID
            default: return .invalidToken
            }
        }
        // A lane has one topic; the daemon has a sender for each.
        guard topic == limits.topic else {
            return .rejected(status: nil, reason: "topic_of_another_lane", deletes: nil)
        }
        guard now < push.writeBy else { return .unsent(reason: "too_late") }
        if let refusal, !isProbeDue { return .unsent(reason: refusal) }
        return nil
    }

    /// Resolves pushes whose `writeBy` passed while they waited.
    mutating func expireWaiting() {
        guard queue.earliest <= now else { return }
        for tag in queue.removeAll() {
            guard let flight = flights[tag] else { continue }
            if flight.push.writeBy <= now {
                resolve(tag, .unsent(reason: "too_late"))
            } else {
                queue.append(tag, writeBy: flight.push.writeBy)
            }
        }
    }

    /// Ends a push. Every push ends here, except one that `admit` refuses.
    mutating func resolve(_ tag: UInt64, _ outcome: PushOutcome) {
        guard let flight = flights.remove(tag) else { return }
        if flight.trip.isProbe { isProbing = false }
        let result = PushResult(
            tag: flight.push.tag,
            outcome: outcome,
            apnsID: flight.trip.wasSubmitted ? flight.push.apnsID : nil
        )
        effects.results.append(.init(batch: flight.batch, result: result))
    }

    /// Queues a push again that Apple certainly didn't accept, up to `LaneLimits.resends` times. `expireWaiting` checks
    /// its `writeBy` after each event.
    mutating func requeue(_ tag: UInt64, why: String) {
        guard let flight = flights[tag] else { return }
        guard flight.trip.resends < LaneLimits.resends else {
            // Without a back-off the push would be claimed and sent again as fast as the server answers.
            pause(for: limit.nextPause(jitter: jitter()), why: why)
            return resolve(tag, .unsent(reason: why))
        }
        flights.update(tag) { trip in
            trip.resends += 1
            trip.link = nil
        }
        queue.append(tag, writeBy: flight.push.writeBy)
    }

    mutating func pause(for span: Int64, why: String) {
        pauseUntil = max(pauseUntil, now + span)
        pauseReason = why
    }
}
