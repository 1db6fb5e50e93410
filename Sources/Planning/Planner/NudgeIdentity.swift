package import Policy
package import TimeZones

import struct FoundationEssentials.UUID

/// Which of a user's nudges.
package struct NudgeIdentity: Sendable, Hashable {
    package let kind: NudgeKind
    /// Names it among those of its user and kind: a check-in's slot, a message's or a reminder's id.
    package let key: String
    /// A check-in's local date.
    package let slot: LocalDate?

    static func checkIn(_ slot: LocalDate) -> NudgeIdentity {
        NudgeIdentity(kind: .checkIn, key: slot.iso, slot: slot)
    }

    /// The id as PostgreSQL writes it.
    static func message(_ id: UUID) -> NudgeIdentity {
        NudgeIdentity(kind: .message, key: id.uuidString.lowercased(), slot: nil)
    }

    /// The id as PostgreSQL writes it.
    static func reminder(_ id: UUID) -> NudgeIdentity {
        NudgeIdentity(kind: .reminder, key: id.uuidString.lowercased(), slot: nil)
    }

    /// Several messages that go out as one; named by the oldest, so that a repeat has the same name.
    static func digest(of first: NudgeIdentity) -> NudgeIdentity {
        NudgeIdentity(kind: .message, key: Self.digestPrefix + first.key, slot: nil)
    }

    private static let digestPrefix = "digest:"

    /// Whether it stands for several messages.
    package var isDigest: Bool { kind == .message && key.hasPrefix(Self.digestPrefix) }
}
