extension LaneState {
    /// Gives waiting pushes to connections with free streams. Dials if another connection would help.
    mutating func pump() {
        if let refusal { flush(refusal) }
        var submissions: [LaneEffects.Submission] = []
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
            // Pushes of one batch wait one after another, so the last part usually fits.
            if submissions[place].parts.last?.place != flight.place {
                let pushes = flights.pushes(at: Int(flight.place))
                submissions[place].parts.append(.init(place: flight.place, pushes: pushes))
            }
            let part = submissions[place].parts.count - 1
            let entry = LaneEffects.Submission.Entry(
                tag: tag,
                writeBy: flight.push.writeBy,
                kind: flight.kind,
                text: flight.text
            )
            submissions[place].parts[part].entries.append(entry)
        }
        effects.submissions.append(contentsOf: submissions)
        if queue.count > 0, let refusal { flush(refusal) }
        if wantsConnection { dial() }
    }

    /// The open connection with the most free streams. Nil if none has any.
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

    /// The index of this event's submission for a connection. Nil if the connection may use no token. It is then no
    /// longer open.
    private mutating func place(for index: Int, in submissions: inout [LaneEffects.Submission]) -> Int? {
        let number = links[index].number
        if let place = submissions.firstIndex(where: { $0.link == number }) { return place }
        switch tokens.token(for: &links[index].use, now: now, wall: wall) {
        case .show(let token):
            submissions.append(.init(link: number, token: token))
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
        // A new connection is full with one push until that push is accepted.
        return refusal == nil && inFlight < limit.limit
            && open.allSatisfy { $0.isProven && $0.space(share: limits.share) == 0 }
    }

    private mutating func dial() {
        lastLink += 1
        links.append(LaneLink(number: lastLink))
        effects.dials.append(lastLink)
    }

    /// Resolves what waits, except the probe of a stopped lane.
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
