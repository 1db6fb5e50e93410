import struct FoundationEssentials.UUID

/// A push that the simulator took, with the day's minute in which it came.
struct PushLog: Sendable, Equatable {
    let token: String
    let apnsID: UUID
    /// Names the nudge.
    let collapseID: String?
    /// Minutes after the day's start.
    let minute: Int
}
