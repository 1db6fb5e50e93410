package import APNs
import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// A nudge that the policy allows now, with everything that its intent and its settlement need.
///
/// Immutable, and a class for the same reason as `SendPlan`.
package final class PlannedNudge: Sendable {
    package final class Target: Sendable {
        package let device: Device
        package let lane: LaneIdentity
        package let hash: String
        package let apnsID: UUID
        /// Whether an earlier attempt may have reached it. Then a second unknown is final.
        let isRepeat: Bool
        package let trial: EnvironmentTrial

        /// - Parameter repeats: the hashes of devices that an earlier attempt may have reached.
        init(_ served: ServedDevice, of identity: NudgeIdentity, user: UUID, repeats: Set<String>) {
            device = served.device
            lane = served.lane
            hash = served.hash
            apnsID = PushIdentity.apnsID(
                user: user,
                kind: identity.kind.rawValue,
                key: identity.key,
                token: served.device.token
            )
            isRepeat = repeats.contains(hash)
            trial = served.trial
        }
    }

    /// Which devices get it now, and under which answer.
    struct Attempt: Sendable {
        let identity: NudgeIdentity
        let decision: Decision
        /// How many pushes are in the badge before it.
        let unseen: Int
        var targets: [Target]
        /// Devices that are left but must wait.
        var waiting: [Retry.Left]
        /// What is left of an earlier attempt. nil: there was none.
        let retry: Retry?
    }

    /// What its pushes contain, and how long they are valid.
    struct Content: Sendable {
        /// What the record names: the messages of a digest, else the nudge itself.
        let members: [NudgeIdentity]
        /// Without the nudge's name, so check-ins of one template share it.
        var payload: [UInt8]
        /// The template of a check-in, even if the decision service replaced the text. nil: another kind.
        let template: Int32?
        /// Pushes with the same key replace each other on the phone (`PushIdentity.collapseID`).
        let collapseKey: String
        /// After this there is no other attempt. A check-in ends with its answer. A message goes on after quiet hours,
        /// though its answer ends there. nil: never.
        let endsAt: Instant?
        /// When Apple drops the push.
        let expiresAt: Instant
        /// Its text, for the decision service. nil: the service is not asked.
        let text: PushText?
        var type = PushType.alert
        var isSilent = false
        /// An update with this text may not be heard from then on. nil: no limit.
        var heardUntil: Instant?
        /// How many the badge counts up. 0: it does not count.
        var badgeIncrement = 0

        /// What the app gives back when the user opens it: of a digest, its first message.
        var name: String { members.first?.key ?? "" }
    }

    private let attempt: Attempt
    private let content: Content
    /// The decision after the policy. nil: none was needed.
    let decision: DecisionOutcome?

    init(_ attempt: Attempt, _ content: Content, decision: DecisionOutcome? = nil) {
        self.attempt = attempt
        self.content = content
        self.decision = decision
    }

    package var identity: NudgeIdentity { attempt.identity }
    package var targets: [Target] { attempt.targets }
    package var waiting: [Retry.Left] { attempt.waiting }
    package var members: [NudgeIdentity] { content.members }
    package var payload: [UInt8] {
        var payload: [UInt8] = []
        appendPayload(to: &payload)
        return payload
    }
    package var template: Int32? { content.template }
    package var collapseKey: String { content.collapseKey }
    package var expiresAt: Instant { content.expiresAt }
    var endsAt: Instant? { content.endsAt }
    var text: PushText? { content.text }
    package var type: PushType { content.type }
    var badgeIncrement: Int { content.badgeIncrement }
    /// A silent one is in no history.
    var isSilent: Bool { content.isSilent }
    /// The push is not written from this instant on. nil: no limit.
    package var validUntil: Instant? {
        guard let heard = content.heardUntil else { return attempt.decision.validUntil }
        return min(attempt.decision.validUntil ?? heard, heard)
    }
    package var isUrgent: Bool { attempt.decision.urgent }
    var isFirst: Bool { attempt.retry == nil }
    /// Delayed attempts before this one: the back-off doubles with each.
    package var attemptsBefore: Int { attempt.retry?.attempt ?? 0 }
    /// When the nudge was counted in the history, if another device was answered already.
    package var countedAt: Instant? { attempt.retry?.countedAt }

    func appendPayload(to out: inout [UInt8]) { Notification.append(content.payload, named: content.name, to: &out) }

    func isValid(at now: Instant) -> Bool { validUntil.map { $0 > now } ?? true }

    /// Whether the decision service must be asked first. Not for devices that follow under an earlier answer.
    package var isToBeAsked: Bool { text != nil && countedAt == nil && decision == nil }

    /// The nudge with the decision's text, if that fits into a push.
    func decided(_ outcome: DecisionOutcome, for candidate: Candidate) -> PlannedNudge {
        var content = content
        let passesFocus = isUrgent && candidate.preferences.allowUrgent
        let (title, body) = (outcome.answer.title, outcome.answer.body)
        if title != nil || body != nil, let other = text?.saying(title, body).payload(passesFocus: passesFocus),
            other.count <= Notification.unnamedLimit
        {
            content.payload = other
        }
        return PlannedNudge(attempt, content, decision: outcome)
    }

    /// Only these devices now. The others follow under the same answer.
    func keeping(_ targets: [Target], then others: some Sequence<Target>) -> PlannedNudge {
        var attempt = attempt
        attempt.targets = targets
        attempt.waiting += others.map {
            Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: $0.isRepeat)
        }
        return PlannedNudge(attempt, content, decision: decision)
    }

    /// What is left of it if it is not tried now. nil: nothing, it is new again.
    func remembered(version: Int64) -> Retry? {
        guard !isFirst else { return nil }
        return retry(version, left: keeping([], then: targets).waiting, countedAt: countedAt)
    }

    /// What is left of it after an attempt.
    ///
    /// - Parameter wasDelayed: whether the back-off doubles.
    func retry(_ version: Int64, left: [Retry.Left], wasDelayed: Bool = false, countedAt: Instant?) -> Retry {
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

extension DeliveryRecord {
    /// About a nudge, or about one that a digest holds.
    init(_ user: UUID, _ nudge: NudgeIdentity, device: String = "", _ outcome: Outcome, reason: String?, at: Instant) {
        self.init(
            userID: user,
            kind: nudge.kind.rawValue,
            key: nudge.key,
            slot: nudge.slot,
            deviceHash: device,
            outcome: outcome,
            reason: reason,
            attemptedAt: at
        )
    }
}

extension EnvironmentNote {
    init(_ state: State, of user: UUID, _ to: PlannedNudge.Target, on lane: LaneIdentity, at: Instant, why: String) {
        self.init(
            userID: user,
            token: to.device.token,
            deviceHash: to.hash,
            environment: lane.environment,
            topic: lane.topic,
            state: state,
            registration: to.device.registration,
            at: at,
            reason: why
        )
    }
}
