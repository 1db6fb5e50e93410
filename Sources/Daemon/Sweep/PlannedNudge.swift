import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// A nudge that the policy lets go now: what its intent says, and what its outcome needs to be settled.
struct PlannedNudge: Sendable {
    /// A device that it goes to.
    struct Target: Sendable {
        let device: Device
        let lane: LaneIdentity
        let hash: String
        let apnsID: UUID
    }

    /// The user as the policy saw them; its history is without this nudge's own entry.
    let candidate: Candidate
    let userID: UUID
    let version: Int64
    let fingerprint: Int64
    let slot: LocalDate
    /// Not written any more from this instant on.
    let validUntil: Instant
    var targets: [Target]
    /// Devices that are left as well, but not yet.
    var waiting: [Retry.Left]
    /// Whether nothing is remembered of an earlier try.
    let isFirst: Bool
    /// Attempts before this one.
    let attempt: Int
    /// The history's own entry of this nudge, where another device was answered already.
    let countedAs: CheckIn?
    /// What the decision found to record (slots that went by): recorded with the nudge's outcome, in one with the instant up to which it was looked.
    var records: [DeliveryRecord] = []

    /// The part that one lane sends; devices of other lanes wait, and follow under the same answer. nil: there is no device at all.
    func part(preferring isPreferred: (LaneIdentity) -> Bool) -> (lane: LaneIdentity, part: PlannedNudge)? {
        guard let lane = (targets.first { isPreferred($0.lane) } ?? targets.first)?.lane else { return nil }
        let others = targets.filter { $0.lane != lane }
        guard !others.isEmpty else { return (lane, self) }
        var part = self
        part.targets = targets.filter { $0.lane == lane }
        part.waiting += others.map { Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0)) }
        return (lane, part)
    }

    static let kind = NudgeKind.checkIn.rawValue
    /// Names this nudge among the user's check-ins.
    var key: String { slot.iso }
}
