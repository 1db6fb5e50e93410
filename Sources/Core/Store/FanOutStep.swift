package import struct FoundationEssentials.UUID

/// The result of one page of a fan-out.
package enum FanOutStep: Sendable, Equatable {
    /// Another daemon has it locked, or the app is setting, cancelling or snoozing the reminder.
    case held
    /// So many members got a row, this one as the last. More may follow.
    case told(Int, last: UUID)
    /// So many members got a row, and none is left.
    case finished(Int)
}
