import APNs
import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

/// A nudge that the policy lets go now: what its intent says, and what its outcome needs to be settled.
///
/// A value, held by reference, as the turn that it is part of.
package final class PlannedNudge: Sendable {
    /// A device that it goes to; by reference for the same reason.
    package final class Target: Sendable {
        package let device: Device
        package let lane: LaneIdentity
        package let hash: String
        package let apnsID: UUID
        /// Whether an earlier attempt may have reached it: a second unknown is final.
        let isRepeat: Bool

        init(device: Device, lane: LaneIdentity, hash: String, apnsID: UUID, isRepeat: Bool) {
            self.device = device
            self.lane = lane
            self.hash = hash
            self.apnsID = apnsID
            self.isRepeat = isRepeat
        }
    }

    package let identity: NudgeIdentity
    /// What the record names: the messages of a digest; else itself.
    package let members: [NudgeIdentity]
    /// What its pushes say; nil: a check-in's configured words, as everyone gets them.
    package let payload: [UInt8]?
    /// The template of a check-in's words, whatever the decision service made of them: what is left of it goes with these. nil: they are of none.
    package let template: Int32?
    /// What its pushes replace on the phone: those of the same text (`PushIdentity.collapseID`).
    package let collapseKey: String
    /// Not written any more from this instant on; nil: the answer holds for ever.
    package let validUntil: Instant?
    /// From when on there is no other attempt: a check-in's answer ends it; a message goes on after the night that its answer does not reach into. nil: never.
    let endsAt: Instant?
    /// When Apple drops it.
    package let expiresAt: Instant
    package let targets: [Target]
    /// Devices that are left as well, but not yet.
    package let waiting: [Retry.Left]
    /// Whether nothing is remembered of an earlier try.
    let isFirst: Bool
    /// Attempts before this one.
    package let attempt: Int
    /// When the history's own entry of this nudge was made, where another device was answered already.
    package let countedAt: Instant?
    /// Its words, where the decision service is to hear them; nil: it is asked nothing.
    let content: TextContent?
    /// As the policy found.
    package let isUrgent: Bool
    /// What was decided of it beyond the policy; nil: nobody was asked.
    let decision: DecisionVerdict?

    init(
        identity: NudgeIdentity,
        members: [NudgeIdentity],
        payload: [UInt8]?,
        template: Int32?,
        collapseKey: String,
        validUntil: Instant?,
        endsAt: Instant?,
        expiresAt: Instant,
        targets: [Target],
        waiting: [Retry.Left],
        isFirst: Bool,
        attempt: Int,
        countedAt: Instant?,
        content: TextContent?,
        isUrgent: Bool = false,
        decision: DecisionVerdict? = nil
    ) {
        self.identity = identity
        self.members = members
        self.payload = payload
        self.template = template
        self.collapseKey = collapseKey
        self.validUntil = validUntil
        self.endsAt = endsAt
        self.expiresAt = expiresAt
        self.targets = targets
        self.waiting = waiting
        self.isFirst = isFirst
        self.attempt = attempt
        self.countedAt = countedAt
        self.content = content
        self.isUrgent = isUrgent
        self.decision = decision
    }

    /// The same nudge otherwise.
    private func changed(
        payload: [UInt8]?,
        targets: [Target],
        waiting: [Retry.Left],
        decision: DecisionVerdict?
    ) -> PlannedNudge {
        PlannedNudge(
            identity: identity,
            members: members,
            payload: payload,
            template: template,
            collapseKey: collapseKey,
            validUntil: validUntil,
            endsAt: endsAt,
            expiresAt: expiresAt,
            targets: targets,
            waiting: waiting,
            isFirst: isFirst,
            attempt: attempt,
            countedAt: countedAt,
            content: content,
            isUrgent: isUrgent,
            decision: decision
        )
    }

    /// Whether its answer still holds.
    func isValid(at now: Instant) -> Bool { validUntil.map { $0 > now } ?? true }

    /// Whether the decision service is asked before it goes. What goes on under a first answer was asked with it.
    package var isToBeAsked: Bool { content != nil && countedAt == nil && decision == nil }

    /// It goes as was decided: with the words that came in place of its own, where they fit a push.
    func decided(_ verdict: DecisionVerdict, passesFocus: Bool) -> PlannedNudge {
        changed(
            payload: words(of: verdict, passesFocus) ?? payload,
            targets: targets,
            waiting: waiting,
            decision: verdict
        )
    }

    private func words(of verdict: DecisionVerdict, _ passesFocus: Bool) -> [UInt8]? {
        guard verdict.title != nil || verdict.body != nil,
            let words = content?.saying(verdict.title, verdict.body).payload(passesFocus: passesFocus),
            words.count <= PushType.alert.payloadLimit
        else { return nil }
        return words
    }

    /// Only these devices now; the others follow under the same answer.
    func keeping(_ targets: [Target], then others: some Sequence<Target>) -> PlannedNudge {
        let others = others.map {
            Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: $0.isRepeat)
        }
        return changed(payload: payload, targets: targets, waiting: waiting + others, decision: decision)
    }

    /// What is remembered of it where it is not tried now. nil: nothing; it is as new.
    func remembered(version: Int64) -> Retry? {
        guard !isFirst || countedAt != nil else { return nil }
        return retry(
            version: version,
            left: keeping([], then: targets).waiting,
            attempt: attempt,
            countedAt: countedAt
        )
    }

    func retry(version: Int64, left: [Retry.Left], attempt: Int, countedAt: Instant?) -> Retry {
        Retry(
            identity: identity,
            members: members,
            validUntil: validUntil,
            version: version,
            attempt: attempt,
            countedAt: countedAt,
            left: left
        )
    }
}
