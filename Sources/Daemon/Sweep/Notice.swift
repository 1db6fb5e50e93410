package import struct FoundationEssentials.UUID

/// Something wrong with one user's data: it harms their own row only. Logged once per value, not per sweep; never with the value itself.
package enum Notice: Sendable, Hashable {
    /// Held for check-ins until they are mended.
    case preferencesMalformed(user: UUID, valueHash: UInt64, why: String)
    /// A zone name that is none; another one, or none, is used.
    case timezoneInvalid(user: UUID, valueHash: UInt64)
    /// Entries of the history lie more than 48 h ahead: a host's clock was wrong. They are ignored.
    case historyAhead(user: UUID)
    /// A device of an environment or topic that this daemon does not serve.
    case deviceNotServed(user: UUID)
}
