package import APNs
import Policy
package import Store
package import TimeZones

extension Judge {
    /// What an attempt's outcomes make of the user's row, the record, the messages and the tokens.
    package struct Settled: Sendable {
        package var update: PersonUpdate
        package var records: [DeliveryRecord] = []
        package var ended: [NudgeIdentity] = []
        package var continued: [ReminderContinuation] = []
        package var staleTokens: [Settlement.StaleToken] = []
    }

    /// What the intent says of the user, for whoever finds it if we die.
    package func entry(_ turn: PlannedTurn, attemptedAt: Instant) -> Intent.Entry {
        var devices: [Intent.Target] = []
        var retries = turn.others
        for (place, nudge) in turn.nudges.enumerated() {
            let left = leftAtIntent(nudge)
            // A reminder's end is left to whoever judges the user next: what comes after it is not for SQL to say.
            if !left.isEmpty || nudge.identity.kind == .reminder {
                retries.append(
                    nudge.retry(
                        version: turn.version,
                        left: left,
                        countedAt: nudge.countedAt ?? attemptedAt
                    )
                )
            }
            for target in nudge.targets {
                for member in nudge.members {
                    devices.append(
                        Intent.Target(
                            kind: member.kind.rawValue,
                            key: member.key,
                            slot: member.slot,
                            deviceHash: target.hash,
                            apnsID: target.apnsID,
                            nudge: Int16(clamping: place),
                            isCounted: nudge.countedAt != nil,
                            ends: left.isEmpty && nudge.identity.kind == .message,
                            template: nudge.template
                        )
                    )
                }
            }
        }
        return Intent.Entry(
            userID: turn.userID,
            version: turn.version,
            retry: Retry.json(retries),
            devices: devices
        )
    }

    /// What a crash leaves to do: the devices that are not in the intent; and of a message or a reminder those in it, once.
    private func leftAtIntent(_ nudge: PlannedNudge) -> [Retry.Left] {
        guard RetryRules.of(nudge.identity.kind).isRepeatedOnce else { return nudge.waiting }
        return nudge.waiting
            + nudge.targets.filter { !$0.isRepeat }.map {
                Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: true)
            }
    }

    /// Whether whoever finds the intent after a crash records it. A reminder that ended is judged again, since what comes after it is not for SQL to say; so is
    /// a check-in that was declined, since its slot is closed by the settlement alone: they would be recorded twice.
    package static func survivesCrash(_ record: DeliveryRecord) -> Bool {
        record.kind != NudgeKind.reminder.rawValue
            && !(record.kind == NudgeKind.checkIn.rawValue && record.reason == PlannedTurn.declinedReason)
    }

    /// The messages and reminders that an intent of these names.
    package static func messages(in turns: some Sequence<PlannedTurn>) -> [MessageReference] {
        turns.flatMap { turn in turn.nudges.flatMap(\.members).compactMap { turn.reference($0) } }
    }

    /// Settles a turn once each of its targets has an outcome, in their order. `attemptedAt`: the intent's instant; `now`: when to ask again counts from
    /// here.
    package func settle(
        _ turn: PlannedTurn,
        outcomes: some Collection<PushOutcome>,
        attemptedAt: Instant,
        now: Instant
    ) -> Settled {
        var books = TurnBooks(turn, attemptedAt: attemptedAt, now: now)
        var rest = outcomes[...]
        for nudge in turn.nudges {
            books.enter(nudge, rest.prefix(nudge.targets.count))
            rest = rest.dropFirst(nudge.targets.count)
        }
        var candidate = turn.candidate
        candidate.history = books.history
        candidate.history = trimmed(candidate, now: now)
        // What Apple answered is recorded in any case: without the zone only the next question has no instant yet.
        let next = try? policy.decide(candidate, now: now)
        let update = PersonUpdate(
            userID: turn.userID,
            version: turn.version,
            dueAt: dueAt(turn.userID, next, books.retries, others: books.dueAt, now: now),
            // When the decision was made: a slot that ended since then, unsent, is still to be recorded as skipped.
            askedAt: attemptedAt,
            since: candidate.since,
            fingerprint: turn.fingerprint,
            history: candidate.history,
            retry: Retry.json(books.retries),
            template: books.template
        )
        let ended = turn.ended + books.ended
        return Settled(
            update: update,
            records: turn.records + books.records,
            ended: ended,
            continued: ended.compactMap { turn.continuations[$0] },
            staleTokens: books.staleTokens
        )
    }
}
