import Policy
@testable package import Core
package import TimeZones

package import struct FoundationEssentials.UUID

/// Reminders as a claim would bring them, of the user of `PlannerFixture` unless told otherwise.
package enum ReminderFixture {
    package static let author = PlannerFixture.userID

    package static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 1, number))
    }

    package static func local(_ text: String) -> LocalDateTime {
        LocalDateTime(iso: text) ?? LocalDateTime(LocalDate(days: 0), secondOfDay: 0)
    }

    package static func at(_ text: String) -> PendingReminder.Due { .at(PlannerFixture.at(text)) }

    package static func wall(_ text: String) -> PendingReminder.Due { .local(local(text)) }

    package static func reminder(
        _ due: PendingReminder.Due,
        number: UInt8 = 1,
        of reminderID: UUID? = nil,
        about subject: String = "7",
        timezone: String? = nil,
        isOwn: Bool = true,
        series: PendingReminder.Series? = nil,
        restoredAt: Instant? = nil,
        isCancelled: Bool = false
    ) -> PendingReminder {
        PendingReminder(
            id: id(number),
            reminderID: reminderID ?? id(200),
            authorID: author,
            subjectType: "task",
            subjectID: subject,
            title: "Water",
            body: "the \"plants\"",
            due: due,
            timezone: timezone,
            isOwn: isOwn,
            series: series,
            restoredAt: restoredAt,
            isCancelled: isCancelled
        )
    }

    /// The first hour of a series.
    package static func series(_ rule: String, _ first: PendingReminder.Due) -> PendingReminder.Series {
        var planned: LocalDateTime?
        if case .local(let time) = first { planned = time }
        return PendingReminder.Series(rule: rule, number: 1, first: first, planned: planned)
    }
}
