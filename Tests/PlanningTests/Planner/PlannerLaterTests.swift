import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// Messages for a later time: when they are due, and what they do until then.
@Suite struct PlannerLaterTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    /// 15:00 in Tokyo.
    private let now = MessageFixture.now

    private static func preferences(_ zone: String?, _ more: String = "") -> String {
        let timezone = zone.map { #","timezone":"\#($0)""# } ?? ""
        return #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"10:00"\#(timezone)\#(more)}"#
    }

    @Test func message_whenItsInstantIsToCome_waitsForIt() throws {
        let user = M.user([M.message(1, urgent: true, due: .at(now + 600))])
        #expect(planner.plan(user, now: now).rest?.dueAt == now + 600)
        #expect(planner.plan(user, now: now).ended.isEmpty)
        #expect(planner.plan(user, now: now + 599).sendPlan == nil)
        let sendPlan = try #require(planner.plan(user, now: now + 600).sendPlan)
        #expect(sendPlan.nudges.map(\.identity) == [.message(M.id(1))])
    }

    /// Nobody is evaluated before because of it: a message far ahead, or one that was not read.
    @Test func user_whenAMessageIsFarAhead_isDueWhenItCanBe() {
        #expect(planner.plan(M.user([], wakesAt: now + 60), now: now).rest?.dueAt == now + 60)
        let far = planner.plan(M.user([M.message(1, due: .at(now + 40 * 86_400))]), now: now).rest?.dueAt
        #expect(far == planner.plan(M.user([]), now: now).rest?.dueAt)
    }

    /// Before every other rule: nothing ends it before its time.
    @Test(arguments: [
        #"{"messages_enabled":false,"timezone":"Asia/Tokyo"}"#, #"{"max_per_hour":1,"timezone":"Asia/Tokyo"}"#,
    ]) func message_whenAnotherRuleWouldEndIt_stillWaitsForItsTime(preferences: String) {
        let user = M.user(
            [M.message(1, expiresAt: now + 900, due: .at(now + 600))],
            preferences: preferences,
            devices: []
        )
        let plan = planner.plan(user, now: now)
        #expect(plan.ended.isEmpty && plan.rest?.dueAt == now + 600)
    }

    /// From Paris to Tokyo: what was to come at nine in the evening comes at nine in Tokyo, eight hours earlier.
    @Test func message_whenTheUserTravels_isDueInTheNewZone() {
        let message = M.message(
            1,
            created: F.at("2026-11-20T01:00:00Z"),
            due: ReminderFixture.wall("2026-11-20T21:00:00")
        )
        func dueAt(_ zone: String, at instant: String) -> Instant? {
            let user = M.user([message], preferences: Self.preferences(zone))
            return planner.plan(user, now: F.at(instant)).rest?.dueAt
        }
        #expect(dueAt("Europe/Paris", at: "2026-11-20T06:00:00Z").map { $0 <= F.at("2026-11-20T20:00:00Z") } == true)
        #expect(dueAt("Europe/Paris", at: "2026-11-20T19:00:00Z") == F.at("2026-11-20T20:00:00Z"))
        #expect(dueAt("Asia/Tokyo", at: "2026-11-20T11:00:00Z") == F.at("2026-11-20T12:00:00Z"))
        // A user who lands after that time gets it at once.
        let landed = M.user([message], preferences: Self.preferences("Asia/Tokyo"))
        #expect(planner.plan(landed, now: F.at("2026-11-20T12:30:00Z")).sendPlan?.nudges.count == 1)
    }

    @Test func message_whenNoZoneIsKnown_isHeldUntilItExpires() {
        let message = M.message(1, expiresAt: now + 600, due: ReminderFixture.wall("2026-11-20T09:00:00"))
        let user = M.user([message], preferences: Self.preferences(nil))
        let held = planner.plan(user, now: now)
        #expect(held.sendPlan == nil && held.ended.isEmpty && held.rest?.dueAt == now + 600)
        #expect(planner.plan(user, now: now + 600).ended == [M.id(1)])
    }

    /// A day after its time has come in every zone. A pause ends nothing.
    @Test func message_whenNoZoneIsEverKnown_isDroppedAfterADay() throws {
        let latest = F.at("2026-11-20T21:00:00Z")
        let message = M.message(1, due: ReminderFixture.wall("2026-11-20T09:00:00"))
        let user = M.user([message], preferences: Self.preferences(nil))
        let recorder = DecisionRecorder()
        var planner = planner
        planner.recorder = recorder
        #expect(planner.plan(user, now: latest + 86_399).rest?.dueAt == latest + 86_400)
        let entry = try #require(recorder.entries.first { $0.kind == .message })
        #expect(entry.decision == Decision(.wait, .timezoneUnresolved, nextAt: latest + 86_400))
        let plan = planner.plan(user, now: latest + 86_400)
        #expect(plan.ended == [M.id(1)] && plan.records.map(\.reason) == ["expires_without_timezone"])
        planner.paused = [.message]
        #expect(planner.plan(user, now: latest + 86_400).ended.isEmpty)
    }

    /// In the night hours of no zone, a message waits as well; an urgent one doesn't.
    @Test func message_whenQuietHoursNeedAZone_isDroppedAfterADay() {
        let (sent, later) = (now, now + 3600)
        let user = M.user(
            [M.message(1, created: sent), M.message(2, created: sent, due: .at(later))],
            preferences: Self.preferences(nil)
        )
        #expect(planner.plan(user, now: sent + 86_399).rest?.dueAt == sent + 86_400)
        let plan = planner.plan(user, now: sent + 86_400)
        #expect(plan.ended == [M.id(1)] && plan.records.map(\.reason) == ["expires_without_timezone"])
        #expect(planner.plan(user, now: later + 86_400).ended == [M.id(1), M.id(2)])
        let urgent = M.user([M.message(3, created: sent, urgent: true)], preferences: Self.preferences(nil))
        #expect(planner.plan(urgent, now: sent + 90_000).sendPlan?.nudges.count == 1)
    }

    /// One that is not due replaces nothing. Once due, it is as new as its time.
    @Test func message_whenItsKeyIsUsedBefore_replacesOnlyWhenItIsDue() throws {
        let messages = [
            M.message(1, collapseKey: "k"), M.message(2, created: now + -3600, collapseKey: "k", due: .at(now + 600)),
        ]
        let first = planner.plan(M.user(messages), now: now)
        #expect(first.sendPlan?.nudges.map(\.identity) == [.message(M.id(1))] && first.ended.isEmpty)
        let second = planner.plan(M.user(messages), now: now + 600)
        #expect(second.sendPlan?.nudges.map(\.identity) == [.message(M.id(2))])
        #expect(second.ended == [M.id(1)])
    }
}
