package import APNs
import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// A nudge that the policy allows now, with all that intent and settlement need.
/// Immutable, and a class for the same reason as `SendPlan`.
@dynamicMemberLookup
package final class PlannedNudge: Sendable {
    package final class Target: Sendable {
        package let device: Device
        package let lane: LaneIdentity
        package let hash: String
        package let apnsID: UUID
        /// Whether an earlier attempt may have reached it. Then a second unknown is final.
        let isRepeat: Bool
        package let trial: EnvironmentTrial

        init(_ served: ServedDevice, of identity: NudgeIdentity, user: UUID, repeats: Set<String>) {
            (device, lane, hash, trial) = (served.device, served.lane, served.hash, served.trial)
            let (kind, token) = (identity.kind.rawValue, served.device.token)
            apnsID = PushIdentity.apnsID(user: user, kind: kind, key: identity.key, token: token)
            isRepeat = repeats.contains(hash)
        }
    }

    package struct Values: Sendable {
        // Which devices get it now, and under which answer of the policy.
        package let identity: NudgeIdentity
        let answer: Decision
        /// How many pushes are in the badge before it.
        let unseen: Int
        package var targets: [Target]
        package var waiting: [Retry.Left]
        /// What is left of an earlier attempt. nil: there was none.
        let retry: Retry?

        // What its pushes contain, from `UserPlanner.fill`. `members`: what the record names.
        package var members: [NudgeIdentity] = []
        /// Without the nudge's name, so check-ins of one template share it.
        var unnamedPayload: [UInt8] = []
        /// The template of a check-in, even if the decision service replaced the text. nil: another kind.
        package var template: Int32?
        /// Pushes with the same key replace each other on the phone (`PushIdentity.collapseID`).
        package var collapseKey = ""
        /// After this there is no other attempt. A message goes on after quiet hours, though its answer ends there.
        /// nil: never.
        var endsAt: Instant?
        /// When Apple drops the push.
        package var expiresAt = Instant(seconds: 0)
        /// Its text, for the decision service. nil: the service is not asked.
        var text: PushText?
        package var type = PushType.alert
        /// A silent one is in no history.
        var isSilent = false
        /// An update with this text may not be heard from then on. nil: no limit.
        var heardUntil: Instant?
        /// How many the badge counts up. 0: it does not count.
        var badgeIncrement = 0
        /// The decision after the policy. nil: none was needed.
        var decision: DecisionOutcome?
    }

    let values: Values

    init(_ values: consuming Values) { self.values = values }

    package subscript<Value>(dynamicMember path: KeyPath<Values, Value>) -> Value { values[keyPath: path] }

    package var payload: [UInt8] {
        var payload: [UInt8] = []
        appendPayload(to: &payload)
        return payload
    }
    /// The push is not written from this instant on. nil: no limit.
    package var validUntil: Instant? {
        guard let heard = values.heardUntil else { return values.answer.validUntil }
        return min(values.answer.validUntil ?? heard, heard)
    }
    package var isUrgent: Bool { values.answer.urgent }
    var isFirst: Bool { values.retry == nil }
    package var attemptsBefore: Int { values.retry?.attempt ?? 0 }
    package var countedAt: Instant? { values.retry?.countedAt }

    /// The payload with the name that the app gives back when the user opens it. A digest has its first message's name.
    func appendPayload(to out: inout [UInt8]) {
        Notification.append(values.unnamedPayload, named: values.members.first?.key ?? "", to: &out)
    }

    func isValid(at now: Instant) -> Bool { validUntil.map { $0 > now } ?? true }

    /// Whether the decision service must be asked first. Not for devices that follow under an earlier answer.
    package var isToBeAsked: Bool { values.text != nil && countedAt == nil && values.decision == nil }

    /// The nudge with the decision's text, if that fits into a push.
    func decided(_ outcome: DecisionOutcome, for candidate: Candidate) -> PlannedNudge {
        var decided = values
        decided.decision = outcome
        let passesFocus = isUrgent && candidate.preferences.allowUrgent
        let (title, body) = (outcome.answer.title, outcome.answer.body)
        if title != nil || body != nil, let other = values.text?.saying(title, body).payload(passesFocus: passesFocus),
            other.count <= Notification.unnamedLimit
        {
            decided.unnamedPayload = other
        }
        return PlannedNudge(decided)
    }

    /// Only these devices now. The others follow under the same answer.
    func keeping(_ targets: [Target], then others: some Sequence<Target>) -> PlannedNudge {
        var kept = values
        kept.targets = targets
        kept.waiting += others.map {
            Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: $0.isRepeat)
        }
        return PlannedNudge(kept)
    }

    /// What is left of it after an attempt. `wasDelayed`: the back-off doubles.
    func retry(_ version: Int64, left: [Retry.Left], wasDelayed: Bool = false, countedAt: Instant?) -> Retry {
        Retry(
            identity: values.identity,
            members: values.members,
            validUntil: validUntil,
            version: version,
            attempt: attemptsBefore + (wasDelayed ? 1 : 0),
            countedAt: countedAt,
            left: left
        )
    }
}

extension DeliveryRecord {
    init(_ user: UUID, _ nudge: NudgeIdentity, device: String = "", _ outcome: Outcome, reason: String?, at: Instant) {
        (userID, kind, key, slot) = (user, nudge.kind.rawValue, nudge.key, nudge.slot)
        (deviceHash, self.outcome, self.reason, attemptedAt) = (device, outcome, reason, at)
    }
}

extension EnvironmentNote {
    init(_ state: State, of user: UUID, _ to: PlannedNudge.Target, on lane: LaneIdentity, at: Instant, why: String) {
        (userID, token, deviceHash) = (user, to.device.token, to.hash)
        (environment, topic, registration) = (lane.environment, lane.topic, to.device.registration)
        (self.state, self.at, reason) = (state, at, why)
    }
}
