package import struct FoundationEssentials.UUID

/// Something wrong with one user's data: it harms their own row only. Logged once per value, not per sweep nor per user; never with the value itself.
package enum Notice: Sendable, Equatable {
    /// A row of nudged.person holds what no code of ours writes; its user is left alone for a day.
    case rowUnreadable(user: UUID)
    /// Held for check-ins until they are mended.
    case preferencesMalformed(user: UUID, valueHash: UInt64, why: String)
    /// A zone name that is none; another one, or none, is used.
    case timezoneInvalid(user: UUID, valueHash: UInt64)
    /// Entries of the history lie more than 48 h ahead: a host's clock was wrong. They are ignored.
    case historyAhead(user: UUID)
    /// A device of an environment or topic that this daemon does not serve.
    case deviceNotServed(user: UUID, environment: String?, topic: String?)

    /// What is said once: a million users with one wrong value are one line.
    package struct Value: Hashable {
        let event: String
        let hash: UInt64
    }

    package var value: Value {
        switch self {
        case .rowUnreadable(let user): Value(event: "row", hash: user.stableHash)
        case .preferencesMalformed(_, let hash, _): Value(event: "preferences", hash: hash)
        case .timezoneInvalid(_, let hash): Value(event: "timezone", hash: hash)
        // Where a host's clock was wrong, many histories are: one line a day tells it.
        case .historyAhead: Value(event: "history", hash: 0)
        case .deviceNotServed(_, let environment, let topic):
            Value(event: "device", hash: "\(environment ?? "") \(topic ?? "")".stableHash)
        }
    }
}
