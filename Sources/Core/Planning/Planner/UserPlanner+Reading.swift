import APNs
import Policy
package import TimeZones

import struct FoundationEssentials.UUID

extension UserPlanner {
    init(_ user: ClaimedUser, _ planner: borrowing Planner, now: Instant) throws(TimeZoneError) {
        self.user = user
        self.now = now
        self.planner = copy planner
        let lanes = planner.lanes
        let devices = RecipientDevices(user.devices, user.quarantine, lanes, now: now)
        self.devices = devices
        // `mapValues` allocates even for an empty dictionary.
        surfaces =
            user.surfaces.isEmpty
            ? [:] : user.surfaces.mapValues { RecipientDevices($0, user.quarantine, lanes, now: now) }
        let retries = user.retry.map(Retry.all(json:)) ?? []
        self.retries = Dictionary(retries.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
        let (id, preferences) = (user.userID, planner.parsed(user.preferences))
        var candidate = Candidate(userID: id, preferences: preferences, timezone: user.timezone, nudge: .checkIn)
        candidate.paused = planner.paused.contains(.checkIn)
        candidate.firstSessionComplete = user.firstSessionComplete
        candidate.devices = devices.served.count
        candidate.since = user.since
        candidate.history = user.history
        candidate.seen = Self.seen(user, now: now)
        candidate.ignored = Self.ignored(user, seen: candidate.seen, planner.policy.rules, now: now)
        // The app may have looked again within a minute, without a note (`nudged.note_seen`).
        if let seen = candidate.seen, let last = candidate.history.unseen?.lastAt, min(last, now) <= seen + 60 {
            candidate.history.unseen = nil
        }
        candidate.zone = try planner.policy.zone(of: candidate)
        let fingerprint = try planner.policy.scheduleFingerprint(candidate)
        candidate.since = Self.since(user, fingerprint: fingerprint, now: now)
        if let after = planner.policy.rules.backOffAfter, let seen = candidate.seen,
            Int64(user.ignored) / after > candidate.ignored / after
        {
            // Check-ins are rescheduled: who comes back gets none for a slot from before.
            candidate.since = max(candidate.since ?? seen, seen)
        }
        let placed = try Self.placed(user, candidate, planner.policy, now: now)
        messages = placed.texts
        unplacedMessages = placed.unplaced
        let written = candidate.preferences.priorityKeywords
        keywords = placed.texts.isEmpty || written.isEmpty ? nil : KeywordMatcher(written)
        draft = PlanDraft(candidate.history)
        self.candidate = candidate
        self.fingerprint = fingerprint
    }

    /// The policy's `since`. It changes with the fingerprint, not with every touch. For a user who was never evaluated
    /// it is the first device's registration, so that nobody gets a slot from before they came.
    private static func since(_ user: ClaimedUser, fingerprint: Int64, now: Instant) -> Instant? {
        guard let known = user.fingerprint else {
            return user.since ?? user.devices.lazy.compactMap(\.registeredAt).min()
        }
        if known == fingerprint { return user.since }
        return min(user.touchedAt ?? now, now)
    }

    /// A call on a host with a wrong clock must not keep check-ins away for years.
    fileprivate static func seen(_ user: ClaimedUser, now: Instant) -> Instant? {
        user.seen.flatMap { $0 <= now + History.horizon ? min($0, now) : nil }
    }

    /// Check-ins that counted as sent since the app last saw the user. Nothing is counted while no rule asks for it.
    /// The history holds check-ins since its oldest one. If the app saw the user before that, `user.ignored` counts.
    fileprivate static func ignored(_ user: ClaimedUser, seen: Instant?, _ rules: Rules, now: Instant) -> Int64 {
        guard rules.backOffAfter != nil else { return 0 }
        let checkIns = user.history.checkIns.filter { $0.at <= now + History.horizon }
        guard let seen, checkIns.map(\.at).min().map({ seen >= $0 }) ?? true else { return Int64(user.ignored) }
        return Int64(checkIns.count { $0.at > seen })
    }

    /// The messages whose due time is known, and those for a wall time if the user has no zone.
    private static func placed(_ user: ClaimedUser, _ candidate: Candidate, _ policy: Policy, now: Instant)
        throws(TimeZoneError) -> (texts: [PendingText], unplaced: [PendingMessage])
    {
        let isLocal = user.messages.contains { if case .local? = $0.due { true } else { false } }
        let zone = isLocal ? try policy.zone(of: candidate) : nil
        // Read only for messages that may wait for it.
        let isSmart = candidate.preferences.smartEnabled && user.messages.contains { $0.conversationID != nil }
        let hasTexts = user.messages.contains { $0.texts != nil }
        let known = RecipientContext(json: isSmart || hasTexts ? user.context : nil)
        let messages = hasTexts ? user.messages.map(known.translated) : user.messages
        var texts: [PendingText] = []
        var unplaced: [PendingMessage] = []
        texts.reserveCapacity(messages.count)
        for message in messages {
            var due: Instant?
            switch message.due {
            case nil: break
            case .at(let instant)?: due = instant
            case .local(let time)?: due = zone?.resolve(time, .first)
            }
            guard due != nil || message.due == nil else {
                unplaced.append(message)
                continue
            }
            let isTheirs = message.conversationID.flatMap(UUID.init(uuidString:)) == known.conversationID
            let conversation = isTheirs ? known.conversation : nil
            texts.append(PendingText(message, due: due, conversation: conversation, now: now))
        }
        return (texts, unplaced)
    }

    var checkInRetry: Retry? { retries.values.first { $0.identity.kind == .checkIn } }

    func isPaused(_ kind: NudgeKind) -> Bool { planner.paused.contains(kind) }

    func candidate(for nudge: PendingNudge, with history: History) -> Candidate {
        var copy = candidate
        copy.history = history
        copy.nudge = nudge.text?.nudge ?? .checkIn
        copy.devices = devices(of: nudge).served.count
        copy.keywords = keywords
        copy.paused = isPaused(nudge.kind)
        return copy
    }

    func devices(of nudge: PendingNudge) -> RecipientDevices {
        guard let surface = nudge.text?.content.surface else { return devices }
        return surfaces[surface.name] ?? RecipientDevices()
    }

    func targets(_ devices: [ServedDevice], of identity: NudgeIdentity, repeats: Set<String>) -> [PlannedNudge.Target] {
        // Two rows may hold one token, in two spellings or for two lanes. The phone gets one push, by the newest.
        let isNewer = { (one: ServedDevice, other: ServedDevice) in
            (one.device.registration ?? .min) > (other.device.registration ?? .min)
        }
        let newestFirst = devices.count > 1 ? devices.sorted(by: isNewer) : devices
        let user = user.userID
        let all = newestFirst.map { PlannedNudge.Target($0, of: identity, user: user, repeats: repeats) }
        guard all.count > 1 else { return all }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.hash).inserted }
    }

    /// What is left of a nudge without devices that get no other attempt, and the records of those devices.
    func withoutEnded(_ retry: Retry, of nudge: PendingNudge) -> (left: Retry, ends: [DeliveryRecord]) {
        let (left, ended) = devices(of: nudge).withoutEnded(retry, now: now)
        let ends = ended.flatMap { hash, refusal in
            guard let refusal else {
                let reason = Reason.deviceNotServed.rawValue
                return records(retry.members, device: hash, .skipped, reason: reason, at: now)
            }
            // The time of the quarantine.
            return records(retry.members, device: hash, .rejected, reason: refusal.reason, status: 400, at: refusal.at)
        }
        return (retry.keeping(left), ends)
    }

    func records(
        _ members: [NudgeIdentity],
        device: String = "",
        _ outcome: DeliveryRecord.Outcome,
        reason: String,
        status: Int? = nil,
        at instant: Instant
    ) -> [DeliveryRecord] {
        members.map {
            var record = DeliveryRecord(user.userID, $0, device: device, outcome, reason: reason, at: instant)
            record.status = status
            return record
        }
    }
}

extension Planner {
    /// Check-ins that the user has ignored since the app last saw them. nil: no rule counts them.
    package func ignored(by user: ClaimedUser, now: Instant) -> Int64? {
        guard policy.rules.backOffAfter != nil else { return nil }
        return UserPlanner.ignored(user, seen: UserPlanner.seen(user, now: now), policy.rules, now: now)
    }
}

extension ClaimedUser {
    /// A column in which a newer version wrote what this one does not know. `state` is checked when it is read.
    var newerColumn: String? {
        func isNewer(_ apns: String?) -> Bool { apns.map { !Notification.knows(apns: $0) } ?? false }
        if let retry = self.retry, !Retry.knows(json: retry) { return "nudged.person.retry" }
        if self.messages.contains(where: { isNewer($0.apns) }) { return "nudged.message.apns" }
        if self.reminders.all.contains(where: { isNewer($0.apns) }) { return "nudged.occurrence.apns" }
        // Without its rule, a series would end.
        let hasNewRule = self.reminders.all.contains { $0.series.map { Recurrence(parsing: $0.rule) == nil } ?? false }
        return hasNewRule ? "nudged.occurrence.recurrence" : nil
    }
}
