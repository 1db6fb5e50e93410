import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// What users turn off, mute and time by day, and check-ins that active users don't need: from the row to the plan.
@Suite struct PlannerPreferencesTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    /// Friday, 15:00 in Tokyo.
    private let now = MessageFixture.now
    /// 10:00 in Tokyo, when the check-in is due.
    private let slot = F.at("2026-11-20T01:00:00Z")

    private static func preferences(_ more: String) -> String {
        #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"10:00","timezone":"Asia/Tokyo",\#(more)}"#
    }

    private func reasons(_ messages: [PendingMessage], _ more: String) -> [String?] {
        planner.plan(M.user(messages, preferences: Self.preferences(more)), now: now).records.map(\.reason)
    }

    private static func message(_ number: UInt8, category: String?) -> PendingMessage {
        var message = M.message(number)
        message.category = category
        return message
    }

    @Test func message_whenItsCategoryIsOff_isDropped() {
        let messages = [
            Self.message(1, category: "news"), Self.message(2, category: "chat"), Self.message(3, category: nil),
        ]
        func sent(_ more: String) -> [NudgeIdentity] {
            planner.plan(M.user(messages, preferences: Self.preferences(more)), now: now).sendPlan?.nudges.map(
                \.identity
            ) ?? []
        }
        #expect(sent(#""categories":{"news":false,"other":false}"#) == [.message(M.id(2)), .message(M.id(3))])
        #expect(sent(#""categories":"none""#) == [.message(M.id(3))])
        #expect(sent(#""categories":{}"#).count == 3)
        #expect(reasons([messages[0]], #""categories":{"news":"no"}"#) == ["disabled"])
    }

    @Test(arguments: [
        (#""reminders_enabled":false"#, false), (#""reminders_enabled":"no""#, false),
        (#""messages_enabled":false"#, false),
        (#""messages_enabled":false,"reminders_enabled":true"#, true), (#""reminders_enabled":true"#, true),
    ]) func reminder_whenTheyAreOff_isDropped(preferences: String, isSent: Bool) {
        let reminder = ReminderFixture.reminder(.at(now))
        let user = F.user(history: M.history, preferences: Self.preferences(preferences), reminders: [reminder])
        let plan = planner.plan(user, now: now)
        #expect((plan.sendPlan != nil) == isSent)
        #expect(plan.records.map(\.reason) == (isSent ? [] : ["disabled"]))
    }

    /// The mute ends at 23:00 in Tokyo, in quiet hours that last until 08:00.
    @Test func everything_whenTheUserIsMuted_waitsForItsEnd() {
        let muted = #""muted_until":"2026-11-20T14:00:00Z""#
        let morning = F.at("2026-11-20T23:00:00Z")
        let messages = [M.message(1), M.message(2, urgent: true), M.message(3, expiresAt: morning)]
        let plan = planner.plan(M.user(messages, preferences: Self.preferences(muted)), now: now)
        #expect(plan.sendPlan?.nudges.map(\.identity) == [.message(M.id(2))])
        #expect(plan.records.map(\.reason) == ["expires_while_muted"])
        let waiting = planner.plan(M.user([messages[0]], preferences: Self.preferences(muted)), now: now)
        #expect(waiting.rest?.dueAt == morning)
        let checkIn = F.user(preferences: Self.preferences(#""muted_until":"2026-11-20T02:00:00Z""#))
        #expect(planner.plan(checkIn, now: slot).reason == .muted)
        #expect(planner.plan(checkIn, now: slot).rest?.dueAt == slot + 3600)
        #expect(planner.plan(checkIn, now: slot + 3600).sendPlan != nil)
    }

    /// On Fridays, quiet hours are from 14:00 to 16:00.
    @Test func message_whenTheDayHasItsOwnQuietHours_waits() {
        let own = #""quiet_hours_by_day":{"5":{"start":"14:00","end":"16:00"},"6":null}"#
        let user = M.user([M.message(1)], preferences: Self.preferences(own))
        #expect(planner.plan(user, now: now).rest?.dueAt == now + 3600)
        #expect(planner.plan(user, now: now + 3600).sendPlan != nil)
        // Friday at 23:00 and Saturday at 23:00 are free.
        #expect(planner.plan(user, now: now + 8 * 3600).sendPlan != nil)
        #expect(planner.plan(user, now: now + 32 * 3600).sendPlan != nil)
        #expect(planner.plan(user, now: now + 56 * 3600).sendPlan == nil)
    }
}
