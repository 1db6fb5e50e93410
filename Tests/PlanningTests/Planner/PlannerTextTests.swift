import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

@testable import Configuration

/// The text of a check-in, and what is remembered of it.
@Suite struct PlannerTextTests {
    typealias F = PlannerFixture
    private let now = F.at("2026-11-20T01:00:00Z")

    private static func planner() -> Planner {
        var planner = F.planner()
        planner.checkInTexts = CheckInTexts(
            standard: Configuration.CheckIn(title: "Standard", body: "words"),
            templates: [
                StoredTemplate(id: 7, title: "seven", body: ""), StoredTemplate(id: 8, title: "{first_name}", body: ""),
            ]
        )
        return planner
    }

    private func sendPlan(_ planner: Planner, _ user: ClaimedUser) throws -> SendPlan {
        try #require(planner.plan(user, now: now).sendPlan)
    }

    @Test func checkIn_whenItCounts_isRemembered() throws {
        let planner = Self.planner()
        let sendPlan = try sendPlan(planner, F.user())
        #expect(sendPlan.nudges.map(\.template) == [7])
        let announced = planner.announced(sendPlan, attemptedAt: now)
        #expect(announced.state.template == 7 && announced.records.map(\.template) == [7])
        for outcome in [PushOutcome.accepted, .unknown(reason: "x")] {
            let settled = planner.settle(sendPlan, outcomes: [outcome], attemptedAt: now, now: now)
            #expect(settled.state.template == 7 && settled.records.map(\.template) == [7])
        }
        // Nobody has seen it.
        for outcome in [PushOutcome.unsent(reason: "x"), .rejected(status: 400, reason: "x", deletes: nil)] {
            let settled = planner.settle(sendPlan, outcomes: [outcome], attemptedAt: now, now: now)
            #expect(settled.state.template == nil)
        }
    }

    @Test func checkIn_whenItsTemplateWasTheLast_takesAnotherText() throws {
        let planner = Self.planner()
        let plain = try sendPlan(planner, F.user(template: 7))
        #expect(plain.nudges.map(\.template) == [nil])
        #expect(planner.settle(plain, outcomes: [.accepted], attemptedAt: now, now: now).state.template == nil)
        // What was not sent takes nothing back.
        #expect(
            planner.settle(plain, outcomes: [.unsent(reason: "x")], attemptedAt: now, now: now).state.template == 7
        )
        let named = try sendPlan(planner, F.user(template: 7, context: #"{"first_name": "Ann"}"#))
        #expect(named.nudges.map(\.template) == [8])
        #expect(named.nudges[0].payload.map { String(decoding: $0, as: UTF8.self) }?.contains("Ann") == true)
        #expect(planner.settle(named, outcomes: [.accepted], attemptedAt: now, now: now).state.template == 8)
    }

    @Test func rest_whenNothingIsSent_keepsTheTemplate() throws {
        let rest = Self.planner().plan(F.user(template: 7), now: F.at("2026-11-19T23:00:00Z")).rest
        #expect(try #require(rest).state.template == 7)
    }

    /// One of two devices was answered. The other gets the same text, which is remembered once.
    @Test func devices_whenTheyAreLeft_getTheSameText() throws {
        let planner = Self.planner()
        let user = F.user(devices: [F.device(1), F.device(2)])
        let first = try sendPlan(planner, user)
        let settled = planner.settle(
            first,
            outcomes: [.accepted, .unsent(reason: "x")],
            attemptedAt: now,
            now: now
        )
        #expect(settled.state.template == 7)
        let left = user.settled(settled)
        #expect(left.template == 7)
        let second = try #require(planner.plan(left, now: now + 5).sendPlan)
        #expect(second.nudges.map(\.template) == [7] && second.pushCount == 1)
        let end = planner.settle(second, outcomes: [.accepted], attemptedAt: now + 5, now: now + 5)
        #expect(end.state.template == 7 && end.records.map(\.template) == [7])
    }

    @Test func messages_whenSent_haveNoTemplateAndLeaveTheLast() throws {
        let planner = Self.planner()
        let message = PendingMessage(id: F.userID, createdAt: now, title: "t", body: "b")
        let user = F.user(template: 7, preferences: #"{"timezone": "Asia/Tokyo"}"#, messages: [message])
        let sendPlan = try sendPlan(planner, user)
        #expect(sendPlan.nudges.map(\.template) == [nil])
        let settled = planner.settle(sendPlan, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.state.template == 7 && settled.records.map(\.template) == [nil])
    }

    @Test func recorder_whenACheckInGoesOut_hearsOfEachTemplate() throws {
        var planner = Self.planner()
        let recorder = DecisionRecorder()
        planner.recorder = recorder
        _ = try sendPlan(planner, F.user())
        #expect(recorder.templateOutcomes.map(\.template) == [7, 8])
        #expect(recorder.templateOutcomes.map(\.outcome) == [.chosen, .missing(["first_name"])])
    }
}
