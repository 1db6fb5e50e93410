extension LaneState {
    /// Gives waiting pushes to connections with free streams, and dials where that would help.
    mutating func pump() {
        if let refusal { flush(refusal) }
        var submissions: [LaneEffects.Submission] = []
        // The place of the last push that was given out, and where its submission has that array.
        var last: (submission: Int, place: Int32, source: Int32) = (-1, -1, 0)
        while let tag = queue.first, inFlight < min(limits.maxInFlight, limit.limit) {
            guard let index = roomiestLink() else { break }
            guard let place = place(for: index, in: &submissions) else { continue }
            queue.removeFirst()
            guard let flight = flights[tag] else { continue }
            let token = submissions[place].token.number
            let round = limit.round
            let link = submissions[place].link
            flights.update(tag) { trip in
                trip.link = link
                trip.token = token
                trip.round = round
                trip.wasSubmitted = true
            }
            links[index].inFlight += 1
            inFlight += 1
            if last.submission != place || last.place != flight.place {
                submissions[place].sources.append(flights.pushes(at: Int(flight.place)))
                last = (place, flight.place, Int32(submissions[place].sources.count - 1))
            }
            submissions[place].entries.append(.init(tag: tag, source: last.source, index: flight.index))
        }
        effects.submissions.append(contentsOf: submissions)
        if queue.count > 0, let refusal { flush(refusal) }
        if wantsConnection { dial() }
    }

    /// The open connection with most free streams; nil where none has any.
    private func roomiestLink() -> Int? {
        var best: Int?
        var most = 0
        for index in links.indices {
            let space = links[index].space(share: limits.share)
            if space > most {
                most = space
                best = index
            }
        }
        return best
    }

    /// Where this event's pushes for a connection are gathered. Nil where the connection may show no token: it then is
    /// no open one any more.
    private mutating func place(for index: Int, in submissions: inout [LaneEffects.Submission]) -> Int? {
        let number = links[index].number
        if let place = submissions.firstIndex(where: { $0.link == number }) { return place }
        switch tokens.token(for: &links[index].use, now: now, wall: wall) {
        case .show(let token):
            submissions.append(.init(link: number, token: token))
            submissions[submissions.count - 1].entries.reserveCapacity(queue.count)
            return submissions.count - 1
        case .replaceConnection:
            links[index].phase = .retiring
        case .wait(let until):
            rest(number, until: until)
        }
        return nil
    }

    private var wantsConnection: Bool {
        guard canDial, phase != .draining else { return false }
        let open = links.filter { $0.phase == .open }
        if open.isEmpty { return queue.count > 0 }
        // A connection that still has to prove itself is full with one push: wait for its verdict.
        return refusal == nil && inFlight < limit.limit
            && open.allSatisfy { $0.isProven && $0.space(share: limits.share) == 0 }
    }

    private mutating func dial() {
        lastLink += 1
        links.append(LaneLink(number: lastLink))
        effects.dials.append(lastLink)
    }

    /// Answers what waits, but for the probe of a stopped lane.
    private mutating func flush(_ why: String) {
        guard queue.count > 0 else { return }
        for tag in queue.removeAll() {
            guard let flight = flights[tag] else { continue }
            if flight.trip.isProbe, isStopped, now >= dialAfter {
                queue.append(tag, writeBy: flight.push.writeBy)
            } else {
                resolve(tag, .unsent(reason: why))
            }
        }
    }

    var isStopped: Bool {
        if case .stopped = phase { true } else { false }
    }
}
