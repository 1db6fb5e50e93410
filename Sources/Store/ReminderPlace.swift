import struct FoundationEssentials.UUID

/// Where a walk over the reminders' definitions stands: after this one.
package struct ReminderPlace: Sendable, Equatable {
    let author: UUID
    let subjectType: String
    let subjectID: String

    /// Before all of them.
    package static let start = ReminderPlace(author: Store.firstUser, subjectType: "", subjectID: "")
}
