import APNs
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Decides a claimed user's turn: `(user, now) -> Judgement`. Pure: reads no clock, no database, no network.
struct Judge: Sendable {
    let policy: Policy
    let lanes: LaneDirectory
    /// Kinds that the kill switch holds.
    var paused: Set<NudgeKind> = []
    /// Hears of each decision with its trace, for `nudged explain`; nil in a sweep.
    var recorder: DecisionRecorder?
    private let preferences = PreferencesCache()

    init(policy: Policy, lanes: LaneDirectory) {
        self.policy = policy
        self.lanes = lanes
    }

    /// The column's text as the policy reads it.
    func parsed(_ text: String?) -> Preferences { preferences.parsed(text) }

    /// Everyone is asked again within a day, so that changed rules and zone files count for all.
    static let recheckSeconds: Int64 = 86_400
    /// A device without a lane is looked at again within an hour: configurations change without a word to the database.
    static let foreignSeconds: Int64 = 1_800
    /// A user whose zone could not be read is asked again after a minute, and spread over the next.
    static let unreadSeconds: Int64 = 60
    /// The re-checks of a day are spread over its last four hours.
    static let recheckSpreadSeconds: UInt64 = 14_400

    func judge(_ user: ClaimedUser, now: Instant) -> Judgement {
        do throws(TimeZoneError) {
            let subject = try Subject(user, judge: self, now: now)
            var records = try skippedSlots(subject, now: now)
            let (verdict, dropped) = try verdict(subject, now: now)
            records += dropped
            return Judgement(verdict: verdict, records: records, notices: subject.notices)
        } catch {
            return Judgement(verdict: .ask(error), records: [], notices: [])
        }
    }

    private func verdict(
        _ subject: Subject,
        now: Instant
    ) throws(TimeZoneError) -> (Judgement.Verdict, [DeliveryRecord]) {
        guard let retry = subject.retry else { return (try firstAttempt(subject, now: now), []) }
        let (left, ends) = subject.judged(retry)
        let rest = retry.keeping(left)
        if let paused = try restPaused(rest, subject, now: now) { return (paused, ends) }
        // Every device was finally rejected, the last ones by quarantine: without this, the slot would be due again (apns.md).
        let isOver = left.isEmpty && !ends.isEmpty
        let (verdict, records) =
            try isOver
            ? (firstAttempt(retry.counts ? subject : subject.closing(retry.slot), now: now), [])
            : retry.counts ? goOn(rest, subject, now: now) : tryAgain(rest, subject, now: now)
        return (verdict, ends + records)
    }

    // MARK: The three ways to a nudge

    /// Nothing is left of an earlier one.
    private func firstAttempt(_ subject: Subject, now: Instant) throws(TimeZoneError) -> Judgement.Verdict {
        let decision = try decide(subject.candidate, now: now)
        guard let (slot, validUntil) = decision.checkIn else { return rest(subject, decision, now: now) }
        return .send(
            subject.nudge(
                slot: slot,
                validUntil: validUntil,
                targets: subject.served,
                waiting: [],
                attempt: 0,
                isFirst: true
            )
        )
    }

    /// No device was answered: the policy is asked anew, and only the back-off is remembered.
    private func tryAgain(
        _ retry: Retry,
        _ subject: Subject,
        now: Instant
    ) throws(TimeZoneError) -> (Judgement.Verdict, [DeliveryRecord]) {
        let decision = try decide(subject.candidate, now: now)
        guard let (slot, validUntil) = decision.checkIn, slot == retry.slot else {
            return (try firstAttempt(subject, now: now), [])
        }
        let left = subject.split(retry.left, now: now)
        // Devices that are all new since then owe nothing to the back-off of the old ones.
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return (try firstAttempt(subject, now: now), []) }
        guard !left.due.isEmpty else {
            return (rest(subject, decision, now: now, retry: retry.keeping(left.waiting)), [])
        }
        let nudge = subject.nudge(
            slot: slot,
            validUntil: validUntil,
            targets: left.due,
            waiting: left.waiting,
            attempt: retry.attempt
        )
        return (.send(nudge), [])
    }

    /// Some device was answered, so the nudge counts: the others go on under its first answer until that ends or something
    /// changed, and are then asked without the nudge's own entry.
    private func goOn(
        _ retry: Retry,
        _ subject: Subject,
        now: Instant
    ) throws(TimeZoneError) -> (Judgement.Verdict, [DeliveryRecord]) {
        let left = subject.split(retry.left, now: now)
        let asIs = try decide(subject.candidate, now: now)
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return (try firstAttempt(subject, now: now), []) }
        let own = subject.candidate.history.checkIns.last { $0.slot == retry.slot }
        let without = subject.without(own)
        var validUntil = retry.validUntil
        if now >= retry.validUntil || retry.version != subject.user.version {
            let decision = try decide(without.candidate, now: now)
            if decision.action == .wait, decision.reason == .quietHours || decision.reason == .capped {
                return (rest(subject, decision, now: now, retry: retry.postponed(by: decision)), [])
            }
            guard let again = decision.checkIn, again.slot == retry.slot else {
                return (try firstAttempt(subject, now: now), subject.stale(retry, now: now))
            }
            validUntil = again.validUntil
        }
        guard !left.due.isEmpty else {
            return (rest(subject, asIs, now: now, retry: retry.keeping(left.waiting)), [])
        }
        let nudge = without.nudge(
            slot: retry.slot,
            validUntil: validUntil,
            targets: left.due,
            waiting: left.waiting,
            attempt: retry.attempt,
            countedAs: own ?? CheckIn(at: now, slot: retry.slot)
        )
        return (.send(nudge), [])
    }

    // MARK: When to ask again

    func rest(
        _ subject: Subject,
        _ decision: Decision,
        now: Instant,
        retry: Retry? = nil
    ) -> Judgement.Verdict {
        let update = PersonUpdate(
            userID: subject.user.userID,
            version: subject.user.version,
            dueAt: dueAt(subject.user.userID, decision, retry: retry, now: now, soon: subject.hasForeignDevices),
            askedAt: now,
            since: subject.candidate.since,
            fingerprint: subject.fingerprint,
            history: trimmed(subject.candidate, now: now),
            retry: retry?.json
        )
        return .rest(update, decision.reason)
    }

    /// The earliest instant at which the answer can change: exact, or a re-check within a day.
    ///
    /// - Parameters:
    ///   - decision: nil: the zone could not be read now.
    ///   - soon: something about the user may change without a word to the database.
    func dueAt(_ user: UUID, _ decision: Decision?, retry: Retry?, now: Instant, soon: Bool = false) -> Instant {
        let spread = Int64(user.stableHash % Self.recheckSpreadSeconds)
        var due = now + (Self.recheckSeconds - spread)
        if soon { due = min(due, now + Self.foreignSeconds + Int64(user.stableHash % UInt64(Self.foreignSeconds))) }
        if decision == nil { due = min(due, askAgainAt(user, now: now)) }
        if let decision, decision.action == .wait, let next = decision.nextAt { due = min(due, next) }
        // Still to be sent: at once, or when the back-off of what is left ends.
        if decision?.action == .send, retry == nil { due = now + Self.unsentSeconds }
        if let retry { due = min(due, retry.dueAt) }
        return max(due, now + 1)
    }

    /// When a user is asked again whose zone could not be read.
    func askAgainAt(_ user: UUID, now: Instant) -> Instant {
        now + Self.unreadSeconds + Int64(user.stableHash % UInt64(Self.unreadSeconds))
    }

    /// The history that is kept: what caps can ask for, and some more, since a cap can be set after the sends that it counts.
    func trimmed(_ candidate: Candidate, now: Instant) -> History {
        let caps = [
            candidate.preferences.maxPerHour, candidate.preferences.maxPerDay, policy.rules.maxPerHour,
            policy.rules.maxPerDay, 64,
        ]
        return candidate.history.trimmed(now: now, cap: Int(clamping: caps.compactMap { $0 }.max() ?? 64))
    }

    private func skippedSlots(_ subject: Subject, now: Instant) throws(TimeZoneError) -> [DeliveryRecord] {
        guard let asked = subject.user.askedAt, asked < now else { return [] }
        // The kill switch makes no slot undone: what came while it held is skipped, and the record says so.
        var candidate = subject.candidate
        candidate.paused = false
        return try policy.skippedSlots(candidate, lastAsked: asked, now: now).map { skipped in
            DeliveryRecord(
                userID: subject.user.userID,
                kind: PlannedNudge.kind,
                key: skipped.slot.iso,
                slot: skipped.slot,
                deviceHash: "",
                outcome: .skipped,
                reason: skipped.reason.rawValue,
                // When it ended, not when we saw it: whoever sees it again (a lease that ended, a sweep that was given up) writes the same row.
                attemptedAt: skipped.limit
            )
        }
    }
}

extension Decision {
    /// A check-in to send: its slot, and the instant from which on it must not be written.
    var checkIn: (slot: LocalDate, validUntil: Instant)? {
        guard action == .send, let slot, let validUntil else { return nil }
        return (slot, validUntil)
    }
}
