import APNs
import Policy
import TimeZones

import struct FoundationEssentials.UUID

/// Collects the outcomes of one nudge, device by device.
struct NudgeOutcomes {
    let nudge: PlannedNudge
    let userID: UUID
    let attemptedAt: Instant
    let now: Instant

    private(set) var records: [DeliveryRecord] = []
    private(set) var staleTokens: [StaleToken] = []
    private(set) var environments: [EnvironmentNote] = []
    private(set) var left: [Retry.Left] = []
    /// A device got it, or may have got it: the nudge counts.
    private(set) var wasAnswered = false
    private(set) var wasDelayed = false
    /// Apple answered, but not finally.
    private(set) var wasAttempted = false

    mutating func enter(_ outcome: PushOutcome, for target: PlannedNudge.Target) {
        switch outcome {
        case .accepted:
            wasAnswered = true
            record(.accepted, target, status: 200)
            if target.trial == .running, let refusing = target.lane.inOtherEnvironment {
                note(.moved, target, on: refusing, reason: PushOutcome.badDeviceToken)
            }
        case .unknown(let reason):
            wasAnswered = true
            record(.unknown, target, reason: reason)
            if RetryRules.of(nudge.identity.kind).isRepeatedOnce, !target.isRepeat {
                left.append(
                    Retry.Left(deviceHash: target.hash, notBefore: now + Retry.unsentSeconds, isRepeat: true)
                )
            }
        case .rejected(let status, let reason, let deletes):
            record(.rejected, target, reason: reason, status: status)
            if let deletes { forget(target, deletes) }
        case .suspect(let status, let reason):
            wasAttempted = true
            refuse(target, reason: reason, status: status)
        case .delayed(let reason, let status, let retryAfter):
            delay(target, reason: reason, status: status, retryAfter: retryAfter)
        case .unsent:
            // Nothing was attempted, so nothing is recorded.
            left.append(
                Retry.Left(
                    deviceHash: target.hash,
                    notBefore: now + Retry.unsentSeconds,
                    isRepeat: target.isRepeat
                )
            )
        }
    }

    /// The token may be of the other environment. It is tried there a second later, so that a user who waits for a
    /// message gets it. Nobody is blamed yet: the lane's window decides later.
    private mutating func refuse(_ target: PlannedNudge.Target, reason: String, status: Int) {
        var seconds = Retry.refusalSeconds
        if target.trial == .open, reason == PushOutcome.badDeviceToken {
            note(.suspected, target, on: target.lane, reason: reason)
            seconds = Retry.unsentSeconds
        } else if target.trial == .running {
            note(.tried, target, on: target.lane, reason: reason)
        }
        comeBack(target, at: now + seconds, orElse: .rejected, reason: reason, status: status)
    }

    private mutating func note(
        _ state: EnvironmentNote.State,
        _ target: PlannedNudge.Target,
        on lane: LaneIdentity,
        reason: String
    ) {
        environments.append(
            EnvironmentNote(
                userID: userID,
                token: target.device.token,
                deviceHash: target.hash,
                environment: lane.environment,
                topic: lane.topic,
                state: state,
                registration: target.device.registration,
                at: attemptedAt,
                reason: reason
            )
        )
    }

    private mutating func delay(_ target: PlannedNudge.Target, reason: String, status: Int, retryAfter: Int?) {
        wasDelayed = true
        wasAttempted = true
        let backOff = Retry.backOffSeconds << min(Int64(nudge.attemptsBefore), 10)
        let wait = max(Int64(clamping: retryAfter ?? 0), status == 429 ? Retry.backOffSeconds / 15 : backOff)
        comeBack(target, at: now + min(wait, 172_800), orElse: .skipped, reason: reason, status: status)
    }

    private mutating func comeBack(
        _ target: PlannedNudge.Target,
        at notBefore: Instant,
        orElse end: DeliveryRecord.Outcome,
        reason: String,
        status: Int
    ) {
        // After the nudge's end there is no other attempt on this device, so this outcome is final.
        guard nudge.endsAt.map({ notBefore < $0 }) ?? true else {
            return record(end, target, reason: reason, status: status)
        }
        record(.deferred, target, reason: reason, status: status)
        left.append(Retry.Left(deviceHash: target.hash, notBefore: notBefore, isRepeat: target.isRepeat))
    }

    private mutating func forget(_ target: PlannedNudge.Target, _ deletes: TokenDeletion) {
        let instant: Int64 =
            switch deletes {
            // In milliseconds. Rounded to seconds, a token that was registered in the second of its 410 would never be
            // deleted.
            case .olderThan(let milliseconds): milliseconds
            case .olderThanSend: attemptedAt.seconds * 1000
            }
        staleTokens.append(
            StaleToken(
                userID: userID,
                token: target.device.token,
                // As its row has them: a device that has moved is served by another lane, and a row of the app's own may
                // spell them in another way.
                environment: target.device.environment ?? target.lane.environment,
                topic: target.device.topic ?? target.lane.topic,
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
        let decision = nudge.decision?.json
        for member in nudge.members {
            records.append(
                DeliveryRecord(
                    userID: userID,
                    kind: member.kind.rawValue,
                    key: member.key,
                    slot: member.slot,
                    deviceHash: target.hash,
                    apnsID: target.apnsID,
                    outcome: outcome,
                    reason: reason ?? (nudge.identity.isDigest ? Self.digestReason : nil),
                    status: status,
                    attemptedAt: attemptedAt,
                    decision: decision,
                    template: nudge.template
                )
            )
        }
    }

    /// It was sent with others in one push.
    private static let digestReason = "digest"
}
