import Fixtures
import Policy
@testable import Core
import TimeZones

import struct FoundationEssentials.UUID

/// Messages as a claim would read them, and their user.
enum MessageFixture {
    /// 15:00 in Tokyo, long after the day's check-in.
    static let now = PlannerFixture.at("2026-11-20T06:00:00Z")
    /// Somebody who has had today's check-in.
    static let history = History(
        checkIns: [CheckIn(at: PlannerFixture.at("2026-11-20T01:00:00Z"), slot: PlannerFixture.date("2026-11-20"))],
        sent: [PlannerFixture.at("2026-11-20T01:00:00Z")]
    )

    /// The id of a message of this number.
    static func id(_ number: UInt8) -> UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)) }

    static func message(
        _ number: UInt8,
        _ title: String = "Hi",
        body: String = "there",
        created: Instant? = nil,
        urgent: Bool = false,
        collapseKey: String? = nil,
        apns: String? = nil,
        due: PendingReminder.Due? = nil
    ) -> PendingMessage {
        PendingMessage(
            id: id(number),
            createdAt: created ?? now + (Int64(number) - 60),
            title: title,
            body: body,
            urgent: urgent,
            collapseKey: collapseKey,
            apns: apns,
            due: due
        )
    }

    static func user(
        _ messages: [PendingMessage],
        history: History = history,
        preferences: String? = PlannerFixture.daily
    ) -> ClaimedUser { PlannerFixture.user(history: history, preferences: preferences, messages: messages) }
}
