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
    /// Devices that a lane can deliver to, each with its lane.
    let served: [(device: Device, lane: LaneIdentity)]
    /// Devices that a lane serves and Apple refuses, by their hashes.
    private let refused: [String: Quarantine.Entry]
    /// Devices that no lane of this daemon serves.
    private let foreign: [Device]
    let retry: Retry?
    let notices: [Notice]

    init(_ user: ClaimedUser, judge: Judge, now: Instant) throws(TimeZoneError) {
        self.user = user
        let (served, refused, foreign) = Self.sort(user, judge.lanes)
        self.served = served
        self.refused = refused
        self.foreign = foreign
        retry = user.retry.flatMap(Retry.init(json:))
        var candidate = Candidate(
            userID: user.userID,
            paused: judge.paused.contains(.checkIn),
            preferences: judge.parsed(user.preferences),
            timezone: user.timezone,
            firstSessionComplete: user.firstSessionComplete,
            devices: served.count,
            since: user.since,
            history: user.history,
            nudge: .checkIn
        )
        fingerprint = try judge.policy.scheduleFingerprint(candidate)
        candidate.since = Self.since(user, fingerprint: fingerprint, now: now)
        self.candidate = candidate
        notices = Self.notices(user, candidate, foreign: foreign.first, zones: judge.policy.zones, now: now)
    }

    /// The user's devices: deliverable, refused by Apple, and of no lane.
    private static func sort(
        _ user: ClaimedUser,
        _ lanes: LaneDirectory
    ) -> (served: [(device: Device, lane: LaneIdentity)], refused: [String: Quarantine.Entry], foreign: [Device]) {
        let quarantine = user.quarantine.map(Quarantine.init(json:))
        var served: [(device: Device, lane: LaneIdentity)] = []
        var refused: [String: Quarantine.Entry] = [:]
        var foreign: [Device] = []
        for device in user.devices {
            guard let lane = lanes.lane(of: device) else {
                foreign.append(device)
                continue
            }
            if let entry = quarantine?.entry(for: device, on: lane) {
                refused[entry.deviceHash] = entry
            } else {
                served.append((device, lane))
            }
        }
        return (served, refused, foreign)
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
        foreign: Device?,
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
            // One that can't be read now and isn't needed is no invalid one.
            guard let zone, let found = try? zones.zone(named: zone) as Zone?? else { continue }
            if found == nil {
                notices.append(.timezoneInvalid(user: name, valueHash: zone.stableHash))
            }
        }
        let horizon = now + 48 * 3600
        if user.history.sent.contains(where: { $0 > horizon })
            || user.history.checkIns.contains(where: { $0.at > horizon })
        {
            notices.append(.historyAhead(user: name))
        }
        if let foreign {
            notices.append(
                .deviceNotServed(user: name, environment: foreign.environment, topic: foreign.topic)
            )
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
    func split(
        _ left: [Retry.Left],
        now: Instant
    ) -> (due: [(device: Device, lane: LaneIdentity)], waiting: [Retry.Left]) {
        let notBefore = Dictionary(left.map { ($0.deviceHash, $0.notBefore) }, uniquingKeysWith: max)
        var due: [(device: Device, lane: LaneIdentity)] = []
        var waiting: [Retry.Left] = []
        for (device, lane) in served {
            let hash = PushIdentity.deviceHash(token: device.token)
            guard let at = notBefore[hash] else { continue }
            if at <= now {
                due.append((device, lane))
            } else {
                waiting.append(Retry.Left(deviceHash: hash, notBefore: at))
            }
        }
        // A lane that this daemon does not have (a reload took it away) may come back while the answer holds.
        for device in foreign {
            let hash = PushIdentity.deviceHash(token: device.token)
            guard let at = notBefore[hash] else { continue }
            waiting.append(Retry.Left(deviceHash: hash, notBefore: max(at, now + Judge.foreignSeconds)))
        }
        return (due, waiting)
    }

    func nudge(
        slot: LocalDate,
        validUntil: Instant,
        targets: [(device: Device, lane: LaneIdentity)],
        waiting: [Retry.Left],
        attempt: Int,
        isFirst: Bool = false,
        countedAs: CheckIn? = nil
    ) -> PlannedNudge {
        // Two rows may hold one token, in two spellings or for two lanes; the phone buzzes once, by the newest.
        let newestFirst = targets.sorted { ($0.device.registration ?? .min) > ($1.device.registration ?? .min) }
        var seen: Set<String> = []
        let unique = newestFirst.compactMap { device, lane -> PlannedNudge.Target? in
            let hash = PushIdentity.deviceHash(token: device.token)
            guard seen.insert(hash).inserted else { return nil }
            let apnsID = PushIdentity.apnsID(
                user: user.userID,
                kind: PlannedNudge.kind,
                key: slot.iso,
                token: device.token
            )
            return PlannedNudge.Target(device: device, lane: lane, hash: hash, apnsID: apnsID)
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
            isFirst: isFirst,
            attempt: attempt,
            countedAs: countedAs
        )
    }

    /// What is left of a nudge without the devices that were refused since, and the ends of those.
    func judged(_ retry: Retry) -> (left: [Retry.Left], ends: [DeliveryRecord]) {
        guard !refused.isEmpty else { return (retry.left, []) }
        // The same token may be deliverable on another lane.
        let deliverable = Set(served.map { PushIdentity.deviceHash(token: $0.device.token) })
        var left: [Retry.Left] = []
        var ends: [DeliveryRecord] = []
        for one in retry.left {
            guard let entry = refused[one.deviceHash], !deliverable.contains(one.deviceHash) else {
                left.append(one)
                continue
            }
            ends.append(
                DeliveryRecord(
                    userID: user.userID,
                    kind: PlannedNudge.kind,
                    key: retry.slot.iso,
                    slot: retry.slot,
                    deviceHash: one.deviceHash,
                    outcome: .rejected,
                    reason: entry.reason,
                    status: 400,
                    // When the verdict fell: seen twice, it is one row.
                    attemptedAt: entry.at
                )
            )
        }
        return (left, ends)
    }

    /// Whether a device waits for a lane that this daemon does not have.
    var hasForeignDevices: Bool { !foreign.isEmpty }

    /// The same user with a slot closed.
    func closing(_ slot: LocalDate) -> Subject {
        var copy = self
        copy.candidate.history = candidate.history.closing(slot)
        return copy
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
