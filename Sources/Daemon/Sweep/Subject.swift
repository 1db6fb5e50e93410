import APNs
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// A claimed user as the policy sees them, with the devices that the lane serves.
struct Subject: Sendable {
    let user: ClaimedUser
    private(set) var candidate: Candidate
    let fingerprint: Int64
    let served: [Device]
    let retry: Retry?
    let notices: [Notice]

    init(_ user: ClaimedUser, judge: Judge, now: Instant) {
        self.user = user
        served = user.devices.filter(judge.lane.serves)
        retry = user.retry.flatMap(Retry.init(json:))
        var candidate = Candidate(
            userID: user.userID,
            preferences: Preferences(parsing: user.preferences),
            timezone: user.timezone,
            firstSessionComplete: user.firstSessionComplete,
            devices: served.count,
            since: user.since,
            history: user.history,
            nudge: .checkIn
        )
        fingerprint = judge.policy.scheduleFingerprint(candidate)
        candidate.since = Self.since(user, fingerprint: fingerprint, now: now)
        self.candidate = candidate
        notices = Self.notices(user, candidate, served: served, lane: judge.lane, zones: judge.policy.zones, now: now)
    }

    /// policy.md, `since`: compared with the stored fingerprint, not taken from the mere touch. A user who was never asked before became
    /// possible when their first device registered, as far as the data says: nobody gets a slot of the time before they came.
    private static func since(_ user: ClaimedUser, fingerprint: Int64, now: Instant) -> Instant? {
        guard let known = user.fingerprint else { return user.since ?? user.devices.compactMap(\.registeredAt).min() }
        if known == fingerprint { return user.since }
        return min(user.touchedAt ?? now, now)
    }

    private static func notices(
        _ user: ClaimedUser,
        _ candidate: Candidate,
        served: [Device],
        lane: LaneIdentity,
        zones: ZoneDatabase,
        now: Instant
    ) -> [Notice] {
        var notices: [Notice] = []
        let name = user.userID
        if let why = candidate.preferences.malformed {
            let hash = (user.preferences ?? "").stableHash
            notices.append(.preferencesMalformed(user: name, valueHash: hash, why: why))
        }
        for zone in [candidate.preferences.timezone, user.timezone] {
            if let zone, zones.zone(named: zone) == nil {
                notices.append(.timezoneInvalid(user: name, valueHash: zone.stableHash))
            }
        }
        let horizon = now + 48 * 3600
        if user.history.sent.contains(where: { $0 > horizon })
            || user.history.checkIns.contains(where: { $0.at > horizon })
        {
            notices.append(.historyAhead(user: name))
        }
        if served.count < user.devices.count, let other = user.devices.first(where: { !lane.serves($0) }) {
            let hash = "\(other.environment ?? "") \(other.topic ?? "")".stableHash
            notices.append(.deviceNotServed(user: name, valueHash: hash))
        }
        return notices
    }

    /// The same user, asked without the nudge's own entry (policy.md counts a nudge once; its other devices must not be held by it).
    func without(_ own: CheckIn?) -> Subject {
        guard let own else { return self }
        var copy = self
        copy.candidate.history = candidate.history.removing(own)
        return copy
    }

    /// The devices that are left and still registered: those that may be tried now, and those that wait.
    func split(_ left: [Retry.Left], now: Instant) -> (due: [Device], waiting: [Retry.Left]) {
        let notBefore = Dictionary(left.map { ($0.deviceHash, $0.notBefore) }, uniquingKeysWith: max)
        var due: [Device] = []
        var waiting: [Retry.Left] = []
        for device in served {
            let hash = PushIdentity.deviceHash(token: device.token)
            guard let at = notBefore[hash] else { continue }
            if at <= now { due.append(device) } else { waiting.append(Retry.Left(deviceHash: hash, notBefore: at)) }
        }
        return (due, waiting)
    }

    func nudge(
        slot: LocalDate,
        validUntil: Instant,
        targets: [Device],
        waiting: [Retry.Left],
        attempt: Int,
        countedAs: CheckIn? = nil
    ) -> PlannedNudge {
        // Two rows may hold one token in two spellings; the phone buzzes once.
        var seen: Set<String> = []
        let unique = targets.compactMap { device -> PlannedNudge.Target? in
            let hash = PushIdentity.deviceHash(token: device.token)
            guard seen.insert(hash).inserted else { return nil }
            let apnsID = PushIdentity.apnsID(
                user: user.userID,
                kind: PlannedNudge.kind,
                key: slot.iso,
                token: device.token
            )
            return PlannedNudge.Target(device: device, hash: hash, apnsID: apnsID)
        }
        return PlannedNudge(
            candidate: candidate,
            userID: user.userID,
            version: user.version,
            fingerprint: fingerprint,
            slot: slot,
            validUntil: validUntil,
            targets: unique,
            waiting: waiting,
            attempt: attempt,
            countedAs: countedAs
        )
    }

    /// The devices of a nudge that counts, but whose time went by before they were answered.
    func stale(_ retry: Retry, now: Instant) -> [DeliveryRecord] {
        retry.left.map { left in
            DeliveryRecord(
                userID: user.userID,
                kind: PlannedNudge.kind,
                key: retry.slot.iso,
                slot: retry.slot,
                deviceHash: left.deviceHash,
                outcome: .skipped,
                reason: "stale",
                // When its time ended: seen twice, it is one row.
                attemptedAt: min(retry.validUntil, now)
            )
        }
    }
}

extension Retry {
    /// The same, its devices not before the policy is to be asked again: a back-off that ends in the night wakes nobody, and asks nobody each second.
    func postponed(by decision: Decision) -> Retry {
        guard let next = decision.nextAt else { return self }
        return keeping(left.map { Left(deviceHash: $0.deviceHash, notBefore: max($0.notBefore, next)) })
    }

    /// The same with only these devices left.
    func keeping(_ left: [Left]) -> Retry {
        Retry(slot: slot, validUntil: validUntil, version: version, attempt: attempt, counts: counts, left: left)
    }
}
