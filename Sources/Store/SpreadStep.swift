package import struct FoundationEssentials.UUID

/// What became of a spread's page.
package enum SpreadStep: Sendable, Equatable {
    /// Somebody else has it, or it is being set anew, cancelled or snoozed.
    case held
    /// So many have theirs, the last of them this one; more follow.
    case told(Int, last: UUID)
    /// So many have theirs, and nobody is left.
    case finished(Int)
}
