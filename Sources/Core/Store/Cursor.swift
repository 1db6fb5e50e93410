import FoundationEssentials

/// A position in the order of due users, (`due_at`, `user_id`). A walk goes on after it.
package struct Cursor: Sendable, Equatable {
    /// Microseconds since 1970.
    let dueAt: Int64
    let userID: UUID

    /// Before all users.
    package static let start = Cursor(
        dueAt: .min,
        userID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    )

    init(dueAt: Int64, userID: UUID) {
        self.dueAt = dueAt
        self.userID = userID
    }

    /// Before all users of that instant (microseconds). For the infinities: the start.
    init(before dueAt: Int64) {
        self.init(dueAt: dueAt == .min || dueAt == .max ? .min : dueAt - 1, userID: Self.start.userID)
    }
}
