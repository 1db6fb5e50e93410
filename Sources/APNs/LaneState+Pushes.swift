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

    var isStopped: Bool { if case .stopped = phase { true } else { false } }

    var canDial: Bool {
        now >= dialAfter && links.count(where: \.isActive) < configuration.connections
            && !links.contains { $0.phase == .dialing }
    }

    var isProbeDue: Bool { isStopped && !isProbing && now >= nextProbe && now >= dialAfter }

    mutating func admit(_ tag: UInt64, of pushes: PushBatch) {
        if let outcome = earlyOutcome(of: tag, pushes) { return resolve(tag, outcome) }
        if isProbeDue {
            isProbing = true
            nextProbe = now + Self.probeInterval
            batches.update(tag) { $0.isProbe = true }
        }
        enqueue(tag)
    }

    private mutating func enqueue(_ tag: UInt64) {
        queue.append(tag)
        earliestWriteBy = min(earliestWriteBy, batches.writeBy(of: tag))
    }

    private mutating func takeQueue() -> [UInt64] {
        earliestWriteBy = .max
        return exchange(&queue, with: [])
    }

    /// The outcome of a push that is not sent. Nil if it is sent.
    private func earlyOutcome(of tag: UInt64, _ pushes: PushBatch) -> PushOutcome? {
        let slot = LaneBatches.slot(tag)
        if !pushes.outcomes.isEmpty, let outcome = pushes.outcomes[slot] { return outcome }
        // A lane has one topic; the daemon has a sender for each.
        guard pushes.topic == configuration.topic else {
            return .rejected(status: nil, reason: "topic_of_another_lane", deletes: nil)
        }
        guard now < pushes.writeBy(slot) else { return .unsent(reason: "too_late") }
        if let refusal, !isProbeDue { return .unsent(reason: refusal) }
        return nil
    }

    /// Resolves pushes whose `writeBy` passed while they waited.
    mutating func expireWaiting() {
        guard earliestWriteBy <= now else { return }
        for tag in takeQueue() {
            if batches.writeBy(of: tag) <= now { resolve(tag, .unsent(reason: "too_late")) } else { enqueue(tag) }
        }
    }

    /// Ends a push. Every push ends here.
    mutating func resolve(_ tag: UInt64, _ outcome: PushOutcome) {
        guard let trip = batches[tag], let receiver = batches.receiver(of: tag) else { return }
        if trip.isProbe { isProbing = false }
        batches.end(tag)
        effects.deliver(PushResult(slot: LaneBatches.slot(tag), outcome: outcome), to: receiver)
    }

    /// Queues a push again that Apple certainly didn't accept, up to `resends` times. The caller calls
    /// `expireWaiting` afterwards.
    mutating func requeue(_ tag: UInt64, why: String) {
        guard let trip = batches[tag] else { return }
        guard trip.resends < Self.resends else {
            // Without a back-off the push would be claimed and sent again as fast as the server answers.
            pause(for: limit.nextPause(jitter: jitter()), why: why)
            return resolve(tag, .unsent(reason: why))
        }
        batches.update(tag) { trip in
            trip.resends += 1
            trip.link = nil
        }
        enqueue(tag)
    }

    mutating func pause(for span: Int64, why: String) {
        pauseUntil = max(pauseUntil, now + span)
        pauseReason = why
    }

    // MARK: To the connections

    /// Gives waiting pushes to connections with free streams. Dials if another connection would help.
    mutating func pump() {
        flush()
        while queue.count > 0, inFlight < min(configuration.maxInFlight, limit.limit) {
            let roomy = links.indices.filter { links[$0].space(share: configuration.share) > 0 }
            guard let index = roomy.max(by: { space($0) < space($1) }) else { break }
            guard let token = token(for: index) else { continue }
            // The connections share what waits.
            let part = (queue.count + roomy.count - 1) / roomy.count
            let free = min(configuration.maxInFlight, limit.limit) - inFlight
            submit(min(part, space(index), free), to: index, token)
        }
        flush()
        guard wantsConnection else { return }
        lastLink += 1
        links.append(LaneLink(number: lastLink))
        effects.dials.append(lastLink)
    }

    private func space(_ index: Int) -> Int { links[index].space(share: configuration.share) }

    /// Nil if the connection may use no token. It is then no longer open.
    private mutating func token(for index: Int) -> ProviderTokenSchedule.Minted? {
        switch tokens.token(for: &links[index].use, now: now, wall: wall) {
        case .show(let token): return token
        case .replaceConnection: links[index].phase = .retiring
        case .wait(let until): rest(links[index].number, until: until)
        }
        return nil
    }

    /// Takes so many waiting pushes. Those of one batch and type that follow one another are one submission.
    private mutating func submit(_ count: Int, to index: Int, _ token: ProviderTokenSchedule.Minted) {
        let (link, round) = (links[index].number, limit.round)
        links[index].inFlight += count
        var place = 0
        while place < count {
            let first = queue[place]
            let pushes = batches.pushes(of: first)
            let type = pushes.labels[LaneBatches.slot(first)].type
            var end = first
            repeat {
                batches.update(end) { trip in (trip.link, trip.token, trip.round) = (link, token.number, round) }
                end += 1
                place += 1
            } while place < count && queue[place] == end && pushes.labels[LaneBatches.slot(end)].type == type
            effects.submissions.append(.init(link: link, token: token, type: type, pushes: pushes, tags: first..<end))
        }
        queue.removeFirst(count)
        if queue.isEmpty { earliestWriteBy = .max }
    }

    private var wantsConnection: Bool {
        guard canDial, phase != .draining else { return false }
        let open = links.filter { $0.phase == .open }
        if open.isEmpty { return queue.count > 0 }
        // A new connection is full with one push until that push is accepted.
        return refusal == nil && inFlight < limit.limit
            && open.allSatisfy { $0.isProven && $0.space(share: configuration.share) == 0 }
    }

    /// Resolves what waits if the lane can't take it, except the probe of a stopped lane.
    private mutating func flush() {
        guard queue.count > 0, let refusal else { return }
        for tag in takeQueue() {
            let isDue = isStopped && now >= dialAfter && batches[tag]?.isProbe == true
            if isDue { enqueue(tag) } else { resolve(tag, .unsent(reason: refusal)) }
        }
    }
}
