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
    /// What is left of earlier nudges.
    let retries: [Retry]
    /// Messages that wait to be said.
    let messages: [PendingText]
    let notices: [Notice]
    /// Kinds that the kill switch holds.
    private let paused: Set<NudgeKind>

    init(_ user: ClaimedUser, judge: Judge, now: Instant) throws(TimeZoneError) {
        self.user = user
        let (served, refused, foreign) = Self.sort(user, judge.lanes)
        self.served = served
        self.refused = refused
        self.foreign = foreign
        paused = judge.paused
        retries = user.retry.map(Retry.all(json:)) ?? []
        messages = user.messages.map(PendingText.init)
        var candidate = Candidate(
            userID: user.userID,
            paused: paused.contains(.checkIn),
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

    /// The same user, asked about a nudge with what was sent up to now.
    func asked(_ nudge: Nudge = .checkIn, with history: History) -> Candidate {
        var copy = candidate
        copy.history = history
        copy.nudge = nudge
        copy.paused = paused.contains(nudge.kind)
        return copy
    }

    /// The devices that are left and still registered: those that may be tried now, and those that wait.
    func split(
        _ left: [Retry.Left],
        now: Instant
    ) -> (due: [(device: Device, lane: LaneIdentity)], waiting: [Retry.Left]) {
        let notBefore = Dictionary(left.map { ($0.deviceHash, $0.notBefore) }, uniquingKeysWith: max)
        let repeats = left.repeats
        var due: [(device: Device, lane: LaneIdentity)] = []
        var waiting: [Retry.Left] = []
        for (device, lane) in served {
            let hash = PushIdentity.deviceHash(token: device.token)
            guard let at = notBefore[hash] else { continue }
            if at <= now {
                due.append((device, lane))
            } else {
                waiting.append(Retry.Left(deviceHash: hash, notBefore: at, isRepeat: repeats.contains(hash)))
            }
        }
        // A lane that this daemon does not have (a reload took it away) may come back while the answer holds.
        for device in foreign {
            let hash = PushIdentity.deviceHash(token: device.token)
            guard let at = notBefore[hash] else { continue }
            waiting.append(
                Retry.Left(
                    deviceHash: hash,
                    notBefore: max(at, now + Judge.foreignSeconds),
                    isRepeat: repeats.contains(hash)
                )
            )
        }
        return (due, waiting)
    }

    /// The devices of a nudge as its targets.
    func targets(
        _ devices: [(device: Device, lane: LaneIdentity)],
        of identity: NudgeIdentity,
        repeating: Set<String> = []
    ) -> [PlannedNudge.Target] {
        guard devices.count > 1 else { return devices.map { target($0.device, $0.lane, of: identity, repeating) } }
        // Two rows may hold one token, in two spellings or for two lanes; the phone buzzes once, by the newest.
        let newestFirst = devices.sorted { ($0.device.registration ?? .min) > ($1.device.registration ?? .min) }
        var seen: Set<String> = []
        return newestFirst.map { target($0.device, $0.lane, of: identity, repeating) }
            .filter { seen.insert($0.hash).inserted }
    }

    private func target(
        _ device: Device,
        _ lane: LaneIdentity,
        of identity: NudgeIdentity,
        _ repeating: Set<String>
    ) -> PlannedNudge.Target {
        let hash = PushIdentity.deviceHash(token: device.token)
        let apnsID = PushIdentity.apnsID(
            user: user.userID,
            kind: identity.kind.rawValue,
            key: identity.key,
            token: device.token
        )
        return PlannedNudge.Target(
            device: device,
            lane: lane,
            hash: hash,
            apnsID: apnsID,
            isRepeat: repeating.contains(hash)
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
                contentsOf: records(
                    retry.members,
                    device: one.deviceHash,
                    .rejected,
                    reason: entry.reason,
                    status: 400,
                    // When the verdict fell: seen twice, it is one row.
                    at: entry.at
                )
            )
        }
        return (left, ends)
    }

    /// Whether anything waits to be said.
    var hasTexts: Bool { !messages.isEmpty || !user.reminders.isEmpty }

    /// Whether a device waits for a lane that this daemon does not have.
    var hasForeignDevices: Bool { !foreign.isEmpty }

    /// The devices of a nudge that counts, but whose time went by before they were answered.
    func stale(_ retry: Retry, reason: String = "stale", now: Instant) -> [DeliveryRecord] {
        retry.left.flatMap { left in
            // When its time ended: seen twice, it is one row.
            records(
                retry.members,
                device: left.deviceHash,
                .skipped,
                reason: reason,
                at: min(retry.validUntil ?? now, now)
            )
        }
    }

    /// A row of the record for each of a nudge's members.
    func records(
        _ members: [NudgeIdentity],
        device: String = "",
        _ outcome: DeliveryRecord.Outcome,
        reason: String,
        status: Int? = nil,
        at instant: Instant
    ) -> [DeliveryRecord] {
        members.map { member in
            DeliveryRecord(
                userID: user.userID,
                kind: member.kind.rawValue,
                key: member.key,
                slot: member.slot,
                deviceHash: device,
                outcome: outcome,
                reason: reason,
                status: status,
                attemptedAt: instant
            )
        }
    }
}

extension Sequence where Element == Retry.Left {
    /// The devices that may have got the nudge already.
    var repeats: Set<String> { Set(filter(\.isRepeat).map(\.deviceHash)) }
}
