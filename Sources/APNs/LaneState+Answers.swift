internal import HTTP2

extension LaneState {
    mutating func complete(_ completion: Completion, on number: Int) {
        // Ignore a completion from a connection that doesn't have this push any more.
        guard let trip = batches[completion.tag], trip.link == number else { return }
        change(number) { $0.inFlight -= 1 }
        switch completion.result {
        case .response(let response):
            change(number) { $0.silence = 0 }
            // Nearly all answers are 200, so nothing is read of them.
            let answer = response.status == 200 ? Answer(status: 200) : Answer(response)
            take(answer, to: completion.tag, trip, on: number)
        case .unsent(let reason): takeUnsent(reason, completion.tag, trip, on: number)
        case .unknown(let reason):
            switch reason {
            case .deadline:
                countSilence(on: number)
                congested(trip, why: "no_answer_in_time")
            case .connectionLost:
                change(number) { $0.hasLostPushes = true }
                congested(trip, why: "connection_lost")
            case .reset, .closed: break
            }
            resolve(completion.tag, .unknown(reason: Self.name(reason)))
        }
    }

    private mutating func takeUnsent(_ reason: UnsentReason, _ tag: UInt64, _ trip: LaneTrip, on number: Int) {
        switch reason {
        case .tooLate: resolve(tag, .unsent(reason: "too_late"))
        case .malformed: resolve(tag, .rejected(status: nil, reason: "malformed_request", deletes: nil))
        case .deadline:
            // This is not silence: the push was never written. If Apple reads nothing, the PING times out.
            resolve(tag, .unsent(reason: "not_written_in_time"))
        case .refused:
            // More streams than the server accepts. Use fewer from now on, whatever SETTINGS say.
            congested(trip, why: "refused_stream")
            requeue(tag, why: "refused_stream")
        case .goaway:
            // Streams above GOAWAY's last stream id can end before, with or after the GOAWAY event.
            retire(number)
            requeue(tag, why: "goaway")
        case .reset, .connectionLost, .closed:
            requeue(tag, why: reason == .closed ? "connection_closed" : "connection_lost")
        }
    }

    private mutating func take(_ answer: Answer, to tag: UInt64, _ trip: LaneTrip, on number: Int) {
        if answer.status == 200 {
            accept(trip, on: number)
            return resolve(tag, .accepted)
        }
        let reason = answer.name
        let refused = PushOutcome.rejected(status: answer.status, reason: reason, deletes: nil)
        switch answer.action {
        case .accepted: break
        case .deleteToken(let timestamp):
            // Apple checked the token for our topic, so it accepts the provider token.
            change(number) { $0.isProven = true }
            limit.succeeded(sentIn: trip.round)
            take(window.answered(now: now))
            resumeByToken(trip)
            let deletes = timestamp.map(TokenDeletion.olderThan(timestamp:)) ?? .olderThanSend
            resolve(tag, .rejected(status: answer.status, reason: reason, deletes: deletes))
        case .quarantine:
            limit.succeeded(sentIn: trip.round)
            // Otherwise many broken tokens of the other environment, or of widgets, would stop this lane.
            let label = batches.label(of: tag)
            if !label.isTrial, label.type.isForApp { suspect(tag, reason: reason) }
            resumeByToken(trip)
            resolve(tag, .suspect(status: answer.status, reason: reason))
        // A topic of widgets or activities that Apple refuses says nothing about the app's own pushes.
        case .stopLane where answer.status == 400 && !batches.label(of: tag).type.isForApp: fallthrough
        case .reject:
            limit.succeeded(sentIn: trip.round)
            resolve(tag, refused)
        case .ourBug:
            effects.log.append(.ourBug(status: answer.status, reason: reason))
            resolve(tag, refused)
        case .delayDevice(let retryAfter):
            // One device's 429 says nothing about others, but many lower the limit. Each device waits on its own.
            _ = limit.failed(sentIn: trip.round, jitter: jitter())
            resolve(tag, .delayed(reason: reason, status: answer.status, retryAfter: retryAfter))
        case .backOff(let retryAfter, let drains):
            if drains { retire(number) }
            (storm.count, storm.lastStatus, storm.lastReason) = (storm.count + 1, answer.status, reason)
            congested(trip, why: reason, retryAfter: retryAfter)
            resolve(tag, .delayed(reason: reason, status: answer.status, retryAfter: retryAfter))
        // These are about the connection or the lane, not about the push: it is unsent or sent again.
        case .stopLane: halt(answer, tag, on: number)
        // The new token counts as expired too, so a clock is wrong. A third token wouldn't help.
        case .refreshToken where trip.token > (expiredToken ?? .max): halt(answer, tag, on: number)
        case .refreshToken:
            expiredToken = max(expiredToken ?? trip.token, trip.token)
            tokens.expire(trip.token)
            replace(number, resending: tag, why: reason)
        // The same answer on another connection: the cause isn't the connection.
        case .newConnection where number != (unrelatedOn ?? number): halt(answer, tag, on: number)
        case .newConnection:
            unrelatedOn = number
            replace(number, resending: tag, why: reason)
        case .reconnect: replace(number, resending: tag, why: reason)
        case .restConnection:
            tokens.forbidMinting(now: now)
            rest(number, until: now + Self.rest)
            resolve(tag, .unsent(reason: reason))
        }
    }

    private mutating func halt(_ answer: Answer, _ tag: UInt64, on number: Int) {
        stop(reason: answer.name, remedy: Answer.remedy(for: answer.name))
        // A 403 is about the provider token on this connection, so the probe uses another connection.
        if answer.status == 403 { retire(number) }
        resolve(tag, .unsent(reason: answer.name))
    }

    private mutating func replace(_ number: Int, resending tag: UInt64, why: String) {
        retire(number)
        requeue(tag, why: why)
    }

    private mutating func accept(_ trip: LaneTrip, on number: Int) {
        change(number) { $0.isProven = true }
        // While connections break soon after their first accepted push, the back-off must keep growing.
        if shortLived < 2 { failedDials = 0 }
        fruitless = 0
        limit.succeeded(sentIn: trip.round)
        // Must come before the probe resumes the lane: the probe's own answer doesn't count in the window.
        if phase == .running { take(window.answered(now: now)) }
        if let expiredToken, trip.token > expiredToken { self.expiredToken = nil }
        if number != unrelatedOn { unrelatedOn = nil }
        resume(by: trip)
    }

    /// Only the probe proves that the cause is gone. Other answers can belong to pushes from before the stop.
    private mutating func resume(by trip: LaneTrip) {
        guard trip.isProbe, isStopped else { return }
        phase = .running
        effects.log.append(.laneResumed)
    }

    /// After an answer about the device's token. Apple checks key and topic first, so any other stop is over.
    private mutating func resumeByToken(_ trip: LaneTrip) {
        guard case .stopped(let cause, _) = phase, Answer(status: 400, reason: cause).action != .quarantine else {
            return
        }
        resume(by: trip)
    }

    /// Adds a refused token to the window. On a stopped or draining lane no device is blamed.
    private mutating func suspect(_ tag: UInt64, reason: String) {
        guard phase == .running, let receiver = batches.receiver(of: tag) else { return }
        let token = RefusedToken(slot: LaneBatches.slot(tag), reason: reason)
        take(window.refused(.init(token: token, receiver: receiver.refusals), now: now))
    }

    mutating func take(_ outcome: RefusalWindow.Outcome?) {
        switch outcome {
        case nil: break
        case .quarantine(let suspects): effects.condemned += suspects
        case .misconfigured(let reason): stop(reason: reason, remedy: Answer.remedy(for: reason))
        }
    }

    mutating func stop(reason: String, remedy: String) {
        guard phase != .draining else { return }
        let stopped = Phase.stopped(reason: reason, remedy: remedy)
        guard phase != stopped else { return }
        if !isStopped { nextProbe = now + Self.probeInterval }
        window = RefusalWindow()
        phase = stopped
        effects.log.append(.laneStopped(reason: reason, remedy: remedy))
    }

    /// The server fails or refuses: lower the limit. At a limit of one, back off.
    private mutating func congested(_ trip: LaneTrip, why: String, retryAfter: Int? = nil) {
        guard let span = limit.failed(sentIn: trip.round, jitter: jitter()) else { return }
        // One push's Retry-After delays the others for a minute at most. The push itself waits for all of it.
        let asked = min(Int64(retryAfter ?? 0) * 1_000, AdaptiveLimit.longestPause)
        pause(for: max(span, asked), why: why)
    }

    /// Gives up a connection that no longer answers. A proxy before Apple could still answer the PING.
    private mutating func countSilence(on number: Int) {
        guard let index = index(of: number) else { return }
        links[index].silence += 1
        guard links[index].silence >= Self.silence else { return }
        links[index].isProven = false
        if links[index].isActive { effects.log.append(.connectionSilent(connection: number, unanswered: Self.silence)) }
        retire(number)
    }

    /// One line per interval, the first one at once.
    mutating func reportStorm() {
        guard storm.count > 0, now >= storm.nextLine else { return }
        effects.log.append(.storm(count: storm.count, lastStatus: storm.lastStatus, lastReason: storm.lastReason))
        storm.count = 0
        storm.nextLine = now + Self.stormInterval
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
