import struct FoundationEssentials.UUID

/// Where a walk over the reminders' definitions stands: after this one.
public struct ReminderPlace: Sendable, Equatable {
    let author: UUID
    let subjectType: String
    let subjectID: String

    /// Before all of them.
    public static let start = ReminderPlace(author: Store.firstUser, subjectType: "", subjectID: "")
}
