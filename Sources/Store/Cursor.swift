import FoundationEssentials

/// A place in the order of who is due, (`due_at`, `user_id`): a walk goes on after it.
package struct Cursor: Sendable, Equatable {
    /// Microseconds since 1970.
    let dueAt: Int64
    let userID: UUID

    /// Before everyone.
    package static let start = Cursor(
        dueAt: .min,
        userID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    )

    /// After whoever was due then.
    init(dueAt: Int64, userID: UUID) {
        self.dueAt = dueAt
        self.userID = userID
    }

    /// Before everyone of that instant, microseconds; the infinities are the start.
    init(before dueAt: Int64) {
        self.init(dueAt: dueAt == .min || dueAt == .max ? .min : dueAt - 1, userID: Self.start.userID)
    }
}
