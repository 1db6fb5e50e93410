import APNs
import Policy
import Store
import TimeZones

extension Judge {
    /// What an attempt's outcomes make of the user's row, the record and the tokens.
    struct Settled: Sendable {
        var update: PersonUpdate
        var records: [DeliveryRecord] = []
        var staleTokens: [Settlement.StaleToken] = []
    }

    /// The first back-off after a 5xx; it doubles with each attempt (apns.md).
    static let backOffSeconds: Int64 = 900
    /// A push that was not written may be claimed again at once; a second keeps a sweep from meeting it twice.
    static let unsentSeconds: Int64 = 1
    /// A refused token waits for the verdict on its window of answers, and a little longer.
    static let verdictSeconds = VerdictWindow.spanSeconds + 5

    /// The history with the nudge's own entry.
    func historyCounting(_ nudge: PlannedNudge, now: Instant) -> History {
        var candidate = nudge.candidate
        candidate.history = candidate.history.adding(nudge.countedAs ?? CheckIn(at: now, slot: nudge.slot))
        return trimmed(candidate, now: now)
    }

    /// What the intent says of the user, for whoever finds it if we die.
    func entry(_ nudge: PlannedNudge) -> Intent.Entry {
        Intent.Entry(
            userID: nudge.userID,
            version: nudge.version,
            isCounted: nudge.countedAs != nil,
            retry: nudge.waiting.isEmpty ? nil : retryAtIntent(nudge).json,
            devices: nudge.targets.map { target in
                Intent.Target(
                    kind: PlannedNudge.kind,
                    key: nudge.key,
                    slot: nudge.slot,
                    deviceHash: target.hash,
                    apnsID: target.apnsID
                )
            }
        )
    }

    /// What a crash leaves to do: the devices that are not in the intent, which counts. Those in it are never written again.
    private func retryAtIntent(_ nudge: PlannedNudge) -> Retry {
        Retry(
            slot: nudge.slot,
            validUntil: nudge.validUntil,
            version: nudge.version,
            attempt: nudge.attempt,
            counts: true,
            left: nudge.waiting
        )
    }

    /// Settles a nudge once each of its targets has an outcome. `attemptedAt`: the intent's instant; `now`: when to ask again counts from here.
    func settle(
        _ nudge: PlannedNudge,
        outcomes: [PushOutcome],
        attemptedAt: Instant,
        now: Instant
    ) -> Settled {
        var ledger = Ledger(nudge: nudge, attemptedAt: attemptedAt, now: now)
        for (target, outcome) in zip(nudge.targets, outcomes) { ledger.enter(outcome, for: target) }

        let counts = nudge.countedAs != nil || ledger.wasAnswered
        let left = nudge.waiting + ledger.left
        var candidate = nudge.candidate
        if counts { candidate.history = historyCounting(nudge, now: attemptedAt) }
        // Every device was finally rejected: without this, the slot would be due again at once (apns.md).
        if !counts, left.isEmpty { candidate.history = candidate.history.closing(nudge.slot) }
        candidate.history = trimmed(candidate, now: now)

        // Where nothing at all was written, nothing is left to remember: the nudge is as new.
        let isUntouched =
            !counts && nudge.isFirst && ledger.left.count == nudge.targets.count && !ledger.wasAttempted
        let retry =
            left.isEmpty || isUntouched
            ? nil
            : Retry(
                slot: nudge.slot,
                validUntil: nudge.validUntil,
                version: nudge.version,
                attempt: nudge.attempt + (ledger.wasDelayed ? 1 : 0),
                counts: counts,
                left: left
            )
        // What Apple answered is recorded in any case: without the zone only the next question has no instant yet.
        let next = try? policy.decide(candidate, now: now)
        let update = PersonUpdate(
            userID: nudge.userID,
            version: nudge.version,
            dueAt: dueAt(nudge.userID, next, retry: retry, now: now),
            // When the decision was made: a slot that ended since then, unsent, is still to be recorded as skipped.
            askedAt: attemptedAt,
            since: candidate.since,
            fingerprint: nudge.fingerprint,
            history: candidate.history,
            retry: retry?.json
        )
        return Settled(update: update, records: nudge.records + ledger.records, staleTokens: ledger.staleTokens)
    }
}

/// Enters one nudge's outcomes, device by device.
private struct Ledger {
    let nudge: PlannedNudge
    let attemptedAt: Instant
    let now: Instant

    private(set) var records: [DeliveryRecord] = []
    private(set) var staleTokens: [Settlement.StaleToken] = []
    private(set) var left: [Retry.Left] = []
    /// A device took it, or may have: the nudge counts.
    private(set) var wasAnswered = false
    private(set) var wasDelayed = false
    /// Apple answered, though not finally.
    private(set) var wasAttempted = false

    init(nudge: PlannedNudge, attemptedAt: Instant, now: Instant) {
        self.nudge = nudge
        self.attemptedAt = attemptedAt
        self.now = now
    }

    mutating func enter(_ outcome: PushOutcome, for target: PlannedNudge.Target) {
        switch outcome {
        case .accepted:
            wasAnswered = true
            record(.accepted, target, status: 200)
        case .unknown(let reason):
            wasAnswered = true
            record(.unknown, target, reason: reason)
        case .rejected(let status, let reason, let deletes):
            record(.rejected, target, reason: reason, status: status)
            if let deletes { forget(target, deletes) }
        case .suspect(let status, let reason):
            wasAttempted = true
            comeBack(target, at: now + Judge.verdictSeconds, orElse: .rejected, reason: reason, status: status)
        case .delayed(let reason, let status, let retryAfter):
            delay(target, reason: reason, status: status, retryAfter: retryAfter)
        case .unsent:
            // Nothing was attempted, so nothing is recorded: the work is as it was.
            left.append(Retry.Left(deviceHash: target.hash, notBefore: now + Judge.unsentSeconds))
        }
    }

    private mutating func delay(_ target: PlannedNudge.Target, reason: String, status: Int, retryAfter: Int?) {
        wasDelayed = true
        wasAttempted = true
        let backOff = Judge.backOffSeconds << min(Int64(nudge.attempt), 10)
        let wait = max(Int64(clamping: retryAfter ?? 0), status == 429 ? Judge.backOffSeconds / 15 : backOff)
        comeBack(target, at: now + min(wait, 172_800), orElse: .skipped, reason: reason, status: status)
    }

    private mutating func comeBack(
        _ target: PlannedNudge.Target,
        at notBefore: Instant,
        orElse end: DeliveryRecord.Outcome,
        reason: String,
        status: Int
    ) {
        // Past the answer's end there is no other attempt: this is the nudge's end on this device.
        guard notBefore < nudge.validUntil else { return record(end, target, reason: reason, status: status) }
        record(.deferred, target, reason: reason, status: status)
        left.append(Retry.Left(deviceHash: target.hash, notBefore: notBefore))
    }

    private mutating func forget(_ target: PlannedNudge.Target, _ deletes: TokenDeletion) {
        let instant: Int64 =
            switch deletes {
            // To the millisecond: rounded to seconds, a token that was registered in the second of its death would stay for ever.
            case .olderThan(let milliseconds): milliseconds
            case .olderThanSend: attemptedAt.seconds * 1000
            }
        staleTokens.append(
            Settlement.StaleToken(
                userID: nudge.userID,
                token: target.device.token,
                environment: target.lane.environment,
                topic: target.lane.topic,
                unregisteredAt: instant,
                apnsID: target.apnsID
            )
        )
    }

    private mutating func record(
        _ outcome: DeliveryRecord.Outcome,
        _ target: PlannedNudge.Target,
        reason: String? = nil,
        status: Int? = nil
    ) {
        records.append(
            DeliveryRecord(
                userID: nudge.userID,
                kind: PlannedNudge.kind,
                key: nudge.key,
                slot: nudge.slot,
                deviceHash: target.hash,
                apnsID: target.apnsID,
                outcome: outcome,
                reason: reason,
                status: status,
                attemptedAt: attemptedAt
            )
        )
    }
}
