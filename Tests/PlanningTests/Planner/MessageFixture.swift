import Fixtures
import JSON
import Policy
@testable import Core
import Testing
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
    static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    static func message(
        _ number: UInt8,
        _ title: String = "Hi",
        body: String = "there",
        created: Instant? = nil,
        data: String? = nil,
        conversationID: String? = nil,
        urgent: Bool = false,
        collapseKey: String? = nil,
        expiresAt: Instant? = nil,
        apns: String? = nil,
        due: PendingReminder.Due? = nil
    ) -> PendingMessage {
        PendingMessage(
            id: id(number),
            createdAt: created ?? now + (Int64(number) - 60),
            title: title,
            body: body,
            data: data,
            conversationID: conversationID,
            urgent: urgent,
            collapseKey: collapseKey,
            expiresAt: expiresAt,
            apns: apns,
            due: due
        )
    }

    static func user(
        _ messages: [PendingMessage],
        retry: String? = nil,
        history: History? = nil,
        preferences: String? = PlannerFixture.daily,
        version: Int64 = 1,
        devices: [Device] = [PlannerFixture.device(1)],
        hasMore: Bool = false,
        wakesAt: Instant? = nil
    ) -> ClaimedUser {
        var values = PlannerFixture.user(
            version: version,
            history: history ?? Self.history,
            preferences: preferences,
            devices: devices,
            messages: messages,
            hasMoreMessages: hasMore
        ).values
        values.retry = retry
        values.messagesWakeAt = wakesAt
        return ClaimedUser(values)
    }

    static func payload(_ nudge: PlannedNudge?) throws -> JSONValue {
        try JSONValue(parsing: try #require(nudge).payload)
    }

    static func text(_ value: JSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }
}
