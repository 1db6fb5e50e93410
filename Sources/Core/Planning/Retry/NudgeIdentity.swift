package import Policy
package import TimeZones

import struct FoundationEssentials.UUID

package struct NudgeIdentity: Sendable, Hashable {
    package let kind: NudgeKind
    /// Unique for a user and kind: a check-in's slot, or the id of a message or reminder.
    package let key: String
    package private(set) var slot: LocalDate?

    static func checkIn(_ slot: LocalDate) -> NudgeIdentity { NudgeIdentity(kind: .checkIn, key: slot.iso, slot: slot) }

    // The key is the id as PostgreSQL writes it.
    static func message(_ id: UUID) -> Self { Self(kind: .message, key: id.uuidString.lowercased()) }
    static func reminder(_ id: UUID) -> Self { Self(kind: .reminder, key: id.uuidString.lowercased()) }
    /// Several messages sent as one. Named after the oldest, so that a repeat has the same name.
    static func digest(of first: Self) -> Self { Self(kind: .message, key: digestPrefix + first.key) }

    /// The id of its row. nil: a check-in or a digest, which has none.
    var rowID: UUID? { kind == .checkIn ? nil : UUID(uuidString: key) }

    private static let digestPrefix = "digest:"

    package var isDigest: Bool { kind == .message && key.hasPrefix(Self.digestPrefix) }
}

/// What may be sent to a user: a text, or the next check-in, whose slot the policy names.
enum PendingNudge {
    case checkIn
    case text(PendingText)

    var text: PendingText? { if case .text(let text) = self { text } else { nil } }

    var kind: NudgeKind { text?.identity.kind ?? .checkIn }

    /// The nudge that a decision allows. nil: none.
    func identity(sentBy decision: Decision) -> NudgeIdentity? {
        guard decision.action == .send else { return nil }
        return text?.identity ?? decision.slot.map(NudgeIdentity.checkIn)
    }
}
