import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// When a user is evaluated again.
extension Planner {
    /// Everyone is evaluated again within a day, so that changed rules and zone files count for all.
    package static let recheckSeconds: Int64 = 86_400
    /// A user whose zone could not be read is evaluated again after a minute, with jitter over the next.
    static let unreadSeconds: Int64 = 60
    /// The re-checks of a day have jitter over its last four hours.
    static let recheckJitterSeconds: UInt64 = 14_400

    /// The earliest instant at which the answer can change: exact, or a re-check within a day.
    ///
    /// - Parameters:
    ///   - decision: on the check-in; nil: the zone could not be read now.
    ///   - retries: what is left of nudges; a check-in's says when it is to be tried (or, paused, when it ends), the
    /// others' own instants are in `others`.   - others: when the answer for something else that waits can change.
    ///   - soon: something about the user may change without a word to the database.
    func dueAt(
        _ user: UUID,
        _ decision: Decision?,
        _ retries: [Retry],
        others: Instant?,
        now: Instant,
        soon: Bool = false
    ) -> Instant {
        let jitter = Int64(user.stableHash % Self.recheckJitterSeconds)
        var due = now + (Self.recheckSeconds - jitter)
        if soon {
            let seconds = RecipientDevices.foreignSeconds
            due = min(due, now + seconds + Int64(user.stableHash % UInt64(seconds)))
        }
        if decision == nil { due = min(due, askAgainAt(user, now: now)) }
        if let decision, decision.action == .wait, let next = decision.nextAt { due = min(due, next) }
        let retry = retries.first { $0.identity.kind == .checkIn }
        // Still to be sent: at once, or when the back-off of what is left ends.
        if decision?.action == .send, retry == nil { due = now + Retry.unsentSeconds }
        // Only a resume can change a pause, so nobody is evaluated at their devices' own instants, each second in vain.
        let isPaused = decision?.action == .hold && decision?.reason == .paused
        if let retry { due = min(due, isPaused ? retry.validUntil ?? due : retry.dueAt) }
        if let others { due = min(due, others) }
        return max(due, now + 1)
    }

    /// When a user is evaluated again whose zone could not be read.
    package func askAgainAt(_ user: UUID, now: Instant) -> Instant {
        now + Self.unreadSeconds + Int64(user.stableHash % UInt64(Self.unreadSeconds))
    }

    /// The history that is kept: what caps can ask for, and some more, since a cap can be set after the sends that it
    /// counts.
    func trimmed(_ candidate: Candidate, now: Instant) -> History {
        let caps = [
            candidate.preferences.maxPerHour, candidate.preferences.maxPerDay, policy.rules.maxPerHour,
            policy.rules.maxPerDay, 64,
        ]
        return candidate.history.trimmed(now: now, cap: Int(clamping: caps.compactMap { $0 }.max() ?? 64))
    }
}
