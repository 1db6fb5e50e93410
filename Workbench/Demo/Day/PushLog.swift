import struct FoundationEssentials.UUID

/// A push that the simulator accepted.
struct PushLog: Sendable, Equatable {
    let token: String
    let apnsID: UUID
    /// Identifies the nudge.
    let collapseID: String?
    /// Minutes after the day's start.
    let minute: Int
}
