import struct FoundationEssentials.UUID

/// Users whose data the database refused lately. They are set aside, so that they delay nobody else. A value:
/// the caller passes the time in milliseconds.
struct SetAside: Sendable {
    /// How long a locked row is not tried again.
    static let heldMilliseconds: Int64 = 30_000
    /// How long a suspect is remembered.
    static let suspectMilliseconds: Int64 = 3_600_000
    /// How long a user is first delayed. Each time after that it is twice as long, up to `longestDelay`.
    static let firstDelay: Int64 = 1_000
    static let longestDelay: Int64 = 512_000
    static let mostSuspects = 1_000

    /// Users who are not tried, and until when.
    private var skippedUntil: [UUID: Int64] = [:]
    /// Users whose content was refused. They are read alone, after the others.
    private var suspects: [UUID: Suspect] = [:]

    private struct Suspect {
        /// Until when it is remembered.
        var until: Int64
        /// How long the user is delayed the next time.
        var delay = SetAside.firstDelay
    }

    /// Skips a user who was not reached in time.
    mutating func skip(_ user: UUID, at now: Int64) { skippedUntil[user] = now + Self.heldMilliseconds }

    mutating func skip(_ refusal: Refusal, at now: Int64) {
        switch refusal.cause {
        case .heldRow: skip(refusal.userID, at: now)
        case .maybeServer: delay(refusal.userID, at: now)
        case .content: skippedUntil[refusal.userID] = now + Self.suspectMilliseconds
        }
    }

    /// Remembers a user whose content was refused.
    mutating func suspect(_ user: UUID, at now: Int64) {
        if suspects.count >= Self.mostSuspects, suspects[user] == nil,
            let oldest = suspects.min(by: { $0.value.until < $1.value.until })
        {
            suspects[oldest.key] = nil
        }
        suspects[user, default: Suspect(until: 0)].until = now + Self.suspectMilliseconds
    }

    /// The refusal may be the server's fault. So the user is tried again soon, then less often.
    private mutating func delay(_ user: UUID, at now: Int64) {
        suspect(user, at: now)
        let delay = suspects[user]?.delay ?? Self.firstDelay
        skippedUntil[user] = now + delay
        suspects[user]?.delay = min(2 * delay, Self.longestDelay)
    }

    /// Forgets a suspect who could be read. One who was delayed stays: what refused them may come after the read.
    mutating func clear(_ user: UUID) {
        if suspects[user]?.delay == Self.firstDelay { suspects[user] = nil }
    }

    /// Users who are not to be tried now.
    mutating func skipped(at now: Int64) -> [UUID] {
        skippedUntil = skippedUntil.filter { $0.value > now }
        return Array(skippedUntil.keys)
    }

    /// Users who are to be read alone.
    mutating func suspects(at now: Int64) -> Set<UUID> {
        suspects = suspects.filter { $0.value.until > now }
        return Set(suspects.keys)
    }
}
