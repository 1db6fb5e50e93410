import struct FoundationEssentials.UUID

/// A position in a walk over `nudged.reminder`. The walk goes on after it.
package struct ReminderPlace: Sendable, Equatable {
    let author: UUID
    let subjectType: String
    let subjectID: String

    /// Before all reminders.
    package static let start = ReminderPlace(author: Store.firstUser, subjectType: "", subjectID: "")
}
