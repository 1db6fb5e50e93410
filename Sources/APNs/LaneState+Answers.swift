internal import HTTP2

extension LaneState {
    mutating func complete(_ completion: Completion, on number: Int) {
        // A completion of a flight that is not on this connection would be an echo of an earlier life of its slot.
        guard let flight = flights.trip(of: completion.tag), flight.link == number else { return }
        inFlight -= 1
        change(number) { $0.inFlight -= 1 }
        switch completion.result {
        case .response(let response):
            change(number) { $0.silence = 0 }
            let answer = Answer(
                status: response.status,
                body: response.body,
                isTruncated: response.isTruncated,
                retryAfter: response.status == 200 ? nil : response.headers["retry-after"]
            )
            take(answer, to: completion.tag, flight, on: number)
        case .unsent(let reason):
            takeUnsent(reason, completion.tag, flight, on: number)
        case .unknown(let reason):
            switch reason {
            case .deadline:
                countSilence(on: number)
                congested(flight, why: "no_answer_in_time")
            case .connectionLost:
                change(number) { $0.hasLostPushes = true }
                congested(flight, why: "connection_lost")
            case .reset, .closed: break
            }
            resolve(completion.tag, .unknown(reason: Self.name(reason)))
        }
    }

    private mutating func takeUnsent(_ reason: UnsentReason, _ tag: UInt64, _ flight: LaneTrip, on number: Int) {
        switch reason {
        case .tooLate:
            resolve(tag, .unsent(reason: "too_late"))
        case .malformed:
            resolve(tag, .rejected(status: nil, reason: "malformed_request", deletes: nil))
        case .deadline:
            // No silence: Apple was not asked. Where it takes nothing any more, PING tells.
            resolve(tag, .unsent(reason: "not_written_in_time"))
        case .refused:
            // More streams than the server takes: fewer from now on, whatever SETTINGS say.
            congested(flight, why: "refused_stream")
            requeue(tag, why: "refused_stream")
        case .goaway:
            // The streams above GOAWAY's last come back before, with or after the event itself.
            retire(number)
            requeue(tag, why: "goaway")
        case .reset, .connectionLost, .closed:
            requeue(tag, why: reason == .closed ? "connection_closed" : "connection_lost")
        }
    }

    private mutating func take(_ answer: Answer, to tag: UInt64, _ flight: LaneTrip, on number: Int) {
        let reason = answer.name
        let refused = PushOutcome.rejected(status: answer.status, reason: reason, deletes: nil)
        switch answer.action {
        case .accepted:
            accept(flight, on: number)
            resolve(tag, .accepted)
        case .deleteToken(let timestamp):
            // Apple looked the token up for our topic: the provider token was good.
            change(number) { $0.isProven = true }
            limit.succeeded(sentIn: flight.round)
            take(window.answered(now: now))
            let deletes = timestamp.map(TokenDeletion.olderThan(timestamp:)) ?? .olderThanSend
            resolve(tag, .rejected(status: answer.status, reason: reason, deletes: deletes))
        case .quarantine:
            limit.succeeded(sentIn: flight.round)
            suspect(tag, reason: reason)
            resolve(tag, .suspect(status: answer.status, reason: reason))
        case .rejectNudge, .reject:
            limit.succeeded(sentIn: flight.round)
            resolve(tag, refused)
        case .ourBug:
            effects.log.append(.ourBug(status: answer.status, reason: reason))
            resolve(tag, refused)
        case .delayDevice(let retryAfter):
            // One device that gets too many says nothing of the others; where a tenth of the answers are such, we are too fast. No pause: the
            // devices wait, each for itself.
            _ = limit.failed(sentIn: flight.round, jitter: jitter())
            resolve(tag, .delayed(reason: reason, status: answer.status, retryAfter: retryAfter))
        case .backOff(let retryAfter, let drains):
            if drains { retire(number) }
            countStorm(answer)
            congested(flight, why: reason, retryAfter: retryAfter)
            resolve(tag, .delayed(reason: reason, status: answer.status, retryAfter: retryAfter))
        case .stopLane, .refreshToken, .newConnection, .restConnection, .reconnect:
            takeAboutConnection(answer, to: tag, flight, on: number)
        }
    }

    /// Answers that speak of the connection or the lane, and not of the push: it is unsent, or sent again.
    private mutating func takeAboutConnection(
        _ answer: Answer,
        to tag: UInt64,
        _ flight: LaneTrip,
        on number: Int
    ) {
        let reason = answer.name
        switch answer.action {
        case .stopLane(let mend):
            stop(reason: reason, mend: mend)
            // The probe is to show a token and a connection that owe nothing to the trouble.
            if answer.status == 403 { retire(number) }
            resolve(tag, .unsent(reason: reason))
        case .refreshToken:
            if let expiredToken, flight.token > expiredToken {
                // The refreshed token is expired as well: the clock is wrong, and a third would be no better.
                stop(reason: reason, mend: Answer.mend(for: reason))
                retire(number)
                return resolve(tag, .unsent(reason: reason))
            }
            expiredToken = flight.token
            tokens.expire(flight.token)
            retire(number)
            requeue(tag, why: reason)
        case .restConnection:
            tokens.forbidMinting(now: now)
            rest(number, until: now + LaneLimits.rest)
            resolve(tag, .unsent(reason: reason))
        case .newConnection:
            if let unrelatedOn, unrelatedOn != number {
                // Again on another connection: it is not the connection.
                stop(reason: reason, mend: Answer.mend(for: reason))
                retire(number)
                return resolve(tag, .unsent(reason: reason))
            }
            unrelatedOn = number
            retire(number)
            requeue(tag, why: reason)
        default:
            retire(number)
            requeue(tag, why: reason)
        }
    }

    private mutating func accept(_ flight: LaneTrip, on number: Int) {
        change(number) { $0.isProven = true }
        // Connections that break soon after their first accepted push are no reason to dial ever faster.
        if shortLived < 2 { backoff.reset() }
        fruitless = 0
        limit.succeeded(sentIn: flight.round)
        // Before a probe resumes the lane: what it proves is that the trouble is over, no more.
        if phase == .running { take(window.answered(now: now)) }
        if let expiredToken, flight.token > expiredToken { self.expiredToken = nil }
        if number != unrelatedOn { unrelatedOn = nil }
        // Only a probe shows that the trouble is over: other answers may have been on their way before it began.
        if flight.isProbe, isStopped {
            phase = .running
            effects.log.append(.laneResumed)
        }
    }

    /// A refused token waits for its window's verdict. On a stopped or ending lane nobody is judged.
    private mutating func suspect(_ tag: UInt64, reason: String) {
        guard phase == .running, let flight = flights[tag] else { return }
        let token = RefusedToken(tag: flight.push.tag, reason: reason)
        take(window.refused(.init(batch: flight.batch, token: token), now: now))
    }

    mutating func take(_ verdict: VerdictWindow.Verdict?) {
        switch verdict {
        case nil: break
        case .quarantine(let suspects): effects.condemned += suspects
        case .misconfigured(let reason):
            stop(reason: reason, mend: Answer.mend(for: reason))
        }
    }

    mutating func stop(reason: String, mend: String) {
        guard phase != .draining else { return }
        let stopped = Phase.stopped(reason: reason, mend: mend)
        guard phase != stopped else { return }
        if !isStopped { nextProbe = now + LaneLimits.probeInterval }
        window = VerdictWindow()
        phase = stopped
        effects.log.append(.laneStopped(reason: reason, mend: mend))
    }

    /// The server errs or refuses: fewer in flight, and at one a pause.
    private mutating func congested(_ flight: LaneTrip, why: String, retryAfter: Int? = nil) {
        guard let span = limit.failed(sentIn: flight.round, jitter: jitter()) else { return }
        // A Retry-After of one push holds up the others for a minute at most; the push itself waits it out.
        let asked = min(Int64(retryAfter ?? 0) * 1_000, AdaptiveLimit.pauses.upperBound)
        pause(for: max(span, asked), why: why)
    }

    /// A connection that answers nothing any more is given up: PING may still be answered by a proxy before Apple.
    private mutating func countSilence(on number: Int) {
        var isDead = false
        change(number) { link in
            link.silence += 1
            isDead = link.silence >= LaneLimits.silence
            if isDead { link.isProven = false }
        }
        guard isDead else { return }
        if links.contains(where: { $0.number == number && $0.isActive }) {
            effects.log.append(.connectionSilent(connection: number, unanswered: LaneLimits.silence))
        }
        retire(number)
    }

    private mutating func countStorm(_ answer: Answer) {
        storm.count += 1
        storm.lastStatus = answer.status
        storm.lastReason = answer.name
    }

    /// One line an interval, the first at once.
    mutating func reportStorm() {
        guard storm.count > 0, now >= storm.nextLine else { return }
        effects.log.append(
            .storm(count: storm.count, lastStatus: storm.lastStatus, lastReason: storm.lastReason)
        )
        storm.count = 0
        storm.nextLine = now + LaneLimits.stormInterval
    }

    private static func name(_ reason: UnknownReason) -> String {
        switch reason {
        case .deadline: "no_answer_in_time"
        case .reset(let code): "stream_reset_\(code)"
        case .connectionLost: "connection_lost"
        case .closed: "cut_off"
        }
    }
}
