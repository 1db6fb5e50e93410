import APNs
import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

/// A nudge that the policy lets go now: what its intent says, and what its outcome needs to be settled.
///
/// A value, held by reference, as the plan that it is part of.
package final class PlannedNudge: Sendable {
    /// A device that it goes to; by reference for the same reason.
    package final class Target: Sendable {
        package let device: Device
        package let lane: LaneIdentity
        package let hash: String
        package let apnsID: UUID
        /// Whether an earlier attempt may have reached it: a second unknown is final.
        let isRepeat: Bool

        init(_ served: ServedDevice, of identity: NudgeIdentity, user: UUID, isRepeat: Bool) {
            device = served.device
            lane = served.lane
            hash = served.hash
            apnsID = PushIdentity.apnsID(
                user: user,
                kind: identity.kind.rawValue,
                key: identity.key,
                token: served.device.token
            )
            self.isRepeat = isRepeat
        }
    }

    /// Which devices get it now, and under which answer.
    struct Attempt: Sendable {
        let identity: NudgeIdentity
        /// The policy's.
        let decision: Decision
        var targets: [Target]
        /// Devices that are left as well, but not yet.
        var waiting: [Retry.Left]
        /// What is remembered of an earlier try; nil: nothing.
        let retry: Retry?
    }

    /// What its pushes say, and for how long.
    struct Content: Sendable {
        /// What the record names: the messages of a digest; else the nudge itself.
        let members: [NudgeIdentity]
        /// nil: a check-in's configured text, as everyone gets it.
        var payload: [UInt8]?
        /// The template of a check-in's text, whatever the decision service made of it: what is left of it goes with
        /// it. nil: it is of none.
        let template: Int32?
        /// What its pushes replace on the phone: those of the same text (`PushIdentity.collapseID`).
        let collapseKey: String
        /// From when on there is no other attempt: a check-in's answer ends it; a message goes on after the night that
        /// its answer does not reach into. nil: never.
        let endsAt: Instant?
        /// When Apple drops it.
        let expiresAt: Instant
        /// Its text, where the decision service is to hear it; nil: it is asked nothing.
        let text: PushText?
    }

    private let attempt: Attempt
    private let content: Content
    /// What was decided of it beyond the policy; nil: nobody was asked.
    let decision: DecisionVerdict?

    init(_ attempt: Attempt, _ content: Content, decision: DecisionVerdict? = nil) {
        self.attempt = attempt
        self.content = content
        self.decision = decision
    }

    package var identity: NudgeIdentity { attempt.identity }
    package var targets: [Target] { attempt.targets }
    package var waiting: [Retry.Left] { attempt.waiting }
    package var members: [NudgeIdentity] { content.members }
    package var payload: [UInt8]? { content.payload }
    package var template: Int32? { content.template }
    package var collapseKey: String { content.collapseKey }
    package var expiresAt: Instant { content.expiresAt }
    var endsAt: Instant? { content.endsAt }
    var text: PushText? { content.text }
    /// Not written any more from this instant on; nil: the answer holds for ever.
    package var validUntil: Instant? { attempt.decision.validUntil }
    /// As the policy found.
    package var isUrgent: Bool { attempt.decision.urgent }
    /// Whether nothing is remembered of an earlier try.
    var isFirst: Bool { attempt.retry == nil }
    /// Attempts before this one.
    package var attemptsBefore: Int { attempt.retry?.attempt ?? 0 }
    /// When the history's own entry of this nudge was made, where another device was answered already.
    package var countedAt: Instant? { attempt.retry?.countedAt }

    /// Whether its answer still holds.
    func isValid(at now: Instant) -> Bool { validUntil.map { $0 > now } ?? true }

    /// Whether the decision service is asked before it goes. What goes on under a first answer was asked with it.
    package var isToBeAsked: Bool { text != nil && countedAt == nil && decision == nil }

    /// It goes as was decided: with the text that came in place of its own, where it fits a push.
    func decided(_ verdict: DecisionVerdict, passesFocus: Bool) -> PlannedNudge {
        var content = content
        if verdict.title != nil || verdict.body != nil,
            let other = text?.saying(verdict.title, verdict.body).payload(passesFocus: passesFocus),
            other.count <= PushType.alert.payloadLimit
        {
            content.payload = other
        }
        return PlannedNudge(attempt, content, decision: verdict)
    }

    /// Only these devices now; the others follow under the same answer.
    func keeping(_ targets: [Target], then others: some Sequence<Target>) -> PlannedNudge {
        var attempt = attempt
        attempt.targets = targets
        attempt.waiting += others.map {
            Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: $0.isRepeat)
        }
        return PlannedNudge(attempt, content, decision: decision)
    }

    /// What is remembered of it where it is not tried now. nil: nothing; it is as new.
    func remembered(version: Int64) -> Retry? {
        guard !isFirst else { return nil }
        return retry(version: version, left: keeping([], then: targets).waiting, countedAt: countedAt)
    }

    /// What is left of it after an attempt.
    ///
    /// - Parameter wasDelayed: the back-off doubles.
    func retry(version: Int64, left: [Retry.Left], wasDelayed: Bool = false, countedAt: Instant?) -> Retry {
        Retry(
            identity: identity,
            members: members,
            validUntil: validUntil,
            version: version,
            attempt: attemptsBefore + (wasDelayed ? 1 : 0),
            countedAt: countedAt,
            left: left
        )
    }
}
