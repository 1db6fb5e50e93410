import struct FoundationEssentials.UUID

/// Users of whom the database refused something lately, so that they cost nobody else anything. A value: it is told the time, in milliseconds.
struct SetAside: Sendable {
    /// A row that somebody holds is not tried again for so long.
    static let heldMilliseconds: Int64 = 30_000
    /// Suspects are remembered for so long.
    static let suspectMilliseconds: Int64 = 3_600_000
    static let mostSuspects = 1_000

    /// Who is not tried before then.
    private var skippedUntil: [UUID: Int64] = [:]
    /// Whose content was refused, and until when that is remembered: they are read alone, after the others.
    private var suspectUntil: [UUID: Int64] = [:]

    /// Somebody holds their row, or there was no time for them; or their content is refused, for longer.
    mutating func skip(_ user: UUID, at now: Int64, isHeld: Bool = true) {
        skippedUntil[user] = now + (isHeld ? Self.heldMilliseconds : Self.suspectMilliseconds)
    }

    /// Their content was refused.
    mutating func suspect(_ user: UUID, at now: Int64) {
        if suspectUntil.count >= Self.mostSuspects, suspectUntil[user] == nil,
            let oldest = suspectUntil.min(by: { $0.value < $1.value })
        {
            suspectUntil[oldest.key] = nil
        }
        suspectUntil[user] = now + Self.suspectMilliseconds
    }

    /// They could be read.
    mutating func clear(_ user: UUID) {
        suspectUntil[user] = nil
    }

    /// Who is not to be tried now.
    mutating func skipped(at now: Int64) -> [UUID] {
        skippedUntil = skippedUntil.filter { $0.value > now }
        return Array(skippedUntil.keys)
    }

    /// Who is to be read alone.
    mutating func suspects(at now: Int64) -> Set<UUID> {
        suspectUntil = suspectUntil.filter { $0.value > now }
        return Set(suspectUntil.keys)
    }
}
