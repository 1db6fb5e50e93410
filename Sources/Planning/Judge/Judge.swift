package import Configuration
import APNs
package import NudgedKit
package import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

/// Decides a claimed user's turn: `(user, now) -> Judgement`. Pure: reads no clock, no database, no network.
package struct Judge: Sendable {
    package let policy: Policy
    package let lanes: LaneDirectory
    let messages: Configuration.Messages
    /// Kinds that the kill switch holds.
    package var paused: Set<NudgeKind> = []
    /// What check-ins say.
    package var words = CheckInWords()
    /// Hears of each decision with its trace, for `nudged explain`; nil in a sweep.
    package var recorder: DecisionRecorder?
    /// Whether a decision service is to be asked of what the rules allow: then nudges carry their words.
    package var asksService = false
    private let preferences = PreferencesCache()

    package init(policy: Policy, lanes: LaneDirectory, messages: Configuration.Messages) {
        self.policy = policy
        self.lanes = lanes
        self.messages = messages
    }

    /// The column's text as the policy reads it.
    package func parsed(_ text: String?) -> Preferences { preferences.parsed(text) }

    /// Everyone is asked again within a day, so that changed rules and zone files count for all.
    package static let recheckSeconds: Int64 = 86_400
    /// A device without a lane is looked at again within an hour: configurations change without a word to the database.
    static let foreignSeconds: Int64 = 1_800
    /// A user whose zone could not be read is asked again after a minute, and spread over the next.
    static let unreadSeconds: Int64 = 60
    /// The re-checks of a day are spread over its last four hours.
    static let recheckSpreadSeconds: UInt64 = 14_400

    /// What waits to be said goes first: someone waits for it. Then the check-in, which counts it.
    package func judge(_ user: ClaimedUser, now: Instant) -> Judgement {
        do throws(TimeZoneError) {
            let subject = try Subject(user, judge: self, now: now)
            var draft = TurnDraft(subject.candidate.history)
            draft.records = try skippedSlots(subject, now: now)
            if subject.hasTexts { try decideTexts(subject, &draft, now: now) }
            let checkIn = try decideCheckIn(subject, &draft, now: now)
            return Judgement(verdict: verdict(subject, draft, checkIn, now: now), notices: subject.notices)
        } catch {
            return Judgement(verdict: .ask(error), notices: [])
        }
    }

    private func verdict(_ subject: Subject, _ draft: TurnDraft, _ checkIn: Decision?, now: Instant)
        -> Judgement.Verdict
    {
        guard let checkIn, draft.nudges.isEmpty else { return .send(PlannedTurn(subject, draft)) }
        var candidate = subject.candidate
        candidate.history = draft.base
        let update = PersonUpdate(
            userID: subject.user.userID,
            version: subject.user.version,
            dueAt: dueAt(
                subject.user.userID,
                checkIn,
                draft.retries,
                others: draft.nextLook(now: now),
                now: now,
                soon: subject.hasForeignDevices
            ),
            askedAt: now,
            since: candidate.since,
            fingerprint: subject.fingerprint,
            history: trimmed(candidate, now: now),
            retry: Retry.json(draft.retries),
            template: subject.user.template
        )
        return .rest(
            Judgement.Rest(
                update: update,
                reason: checkIn.reason,
                records: draft.records,
                ended: draft.ended,
                continued: draft.continued
            )
        )
    }

    // MARK: When to ask again

    /// The earliest instant at which the answer can change: exact, or a re-check within a day.
    ///
    /// - Parameters:
    ///   - decision: on the check-in; nil: the zone could not be read now.
    ///   - retries: what is left of nudges; a check-in's says when it is to be tried (or, paused, when it ends), the others' own instants are in `others`.
    ///   - others: when the answer for something else that waits can change.
    ///   - soon: something about the user may change without a word to the database.
    func dueAt(
        _ user: UUID,
        _ decision: Decision?,
        _ retries: [Retry],
        others: Instant?,
        now: Instant,
        soon: Bool = false
    ) -> Instant {
        let spread = Int64(user.stableHash % Self.recheckSpreadSeconds)
        var due = now + (Self.recheckSeconds - spread)
        if soon { due = min(due, now + Self.foreignSeconds + Int64(user.stableHash % UInt64(Self.foreignSeconds))) }
        if decision == nil { due = min(due, askAgainAt(user, now: now)) }
        if let decision, decision.action == .wait, let next = decision.nextAt { due = min(due, next) }
        let retry = retries.first { $0.identity.kind == .checkIn }
        // Still to be sent: at once, or when the back-off of what is left ends.
        if decision?.action == .send, retry == nil { due = now + Self.unsentSeconds }
        if let retry { due = min(due, isPaused(decision) ? retry.validUntil ?? due : retry.dueAt) }
        if let others { due = min(due, others) }
        return max(due, now + 1)
    }

    /// When a user is asked again whose zone could not be read.
    package func askAgainAt(_ user: UUID, now: Instant) -> Instant {
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
        return try policy.skippedSlots(candidate, lastAsked: asked, now: now).flatMap { skipped in
            subject.records(
                [.checkIn(skipped.slot)],
                .skipped,
                reason: skipped.reason.rawValue,
                // When it ended, not when we saw it: whoever sees it again (a lease that ended, a sweep that was given up) writes the same row.
                at: skipped.limit
            )
        }
    }
}
