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
        planner.checkInTexts = CheckInTexts(templates: [
            StoredTemplate(id: 7, title: "seven", body: ""), StoredTemplate(id: 8, title: "{first_name}", body: ""),
        ])
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
        // The only one that fits comes again.
        #expect(try sendPlan(planner, F.user(template: 7)).nudges.map(\.template) == [7])
        let named = try sendPlan(planner, F.user(template: 7, context: #"{"first_name": "Ann"}"#))
        #expect(named.nudges.map(\.template) == [8])
        #expect(String(decoding: named.nudges[0].payload, as: UTF8.self).contains("Ann"))
        // What was not sent takes nothing back.
        #expect(
            planner.settle(named, outcomes: [.unsent(reason: "x")], attemptedAt: now, now: now).state.template == 7
        )
        #expect(planner.settle(named, outcomes: [.accepted], attemptedAt: now, now: now).state.template == 8)
    }

    /// No text that nobody wrote.
    @Test func checkIn_whenNoTemplateFits_isHeld() throws {
        var planner = Self.planner()
        let recorder = DecisionRecorder()
        planner.recorder = recorder
        planner.checkInTexts = CheckInTexts(templates: [StoredTemplate(id: 8, title: "{first_name}", body: "")])
        let plan = planner.plan(F.user(template: 7), now: now)
        #expect(plan.reason == .noText && plan.records.isEmpty)
        let rest = try #require(plan.rest)
        #expect(rest.reason == .noText && rest.state.template == 7)
        // A template that is added meanwhile is found within a day.
        #expect(rest.dueAt > now && rest.dueAt <= now + Planner.recheckSeconds)
        #expect(recorder.entries.map(\.decision) == [Decision(.hold, .noText)])
        #expect(recorder.entries[0].trace.contains { $0.rule == "slot" })
        #expect(recorder.templateOutcomes.map(\.outcome) == [.missing(["first_name"])])
        planner.checkInTexts = CheckInTexts()
        #expect(planner.plan(F.user(), now: now).reason == .noText)
        // Messages go on.
        let message = PendingMessage(id: F.userID, createdAt: now, title: "t", body: "b")
        #expect(try sendPlan(planner, F.user(messages: [message])).nudges.map(\.identity.kind) == [.message])
    }

    /// The first device has got the check-in. Then its template is taken away.
    @Test func devices_whenTheirTextIsGone_areSkipped() throws {
        var planner = Self.planner()
        let user = F.user(devices: [F.device(1), F.device(2)])
        let settled = planner.settle(
            try sendPlan(planner, user),
            outcomes: [.accepted, .unsent(reason: "x")],
            attemptedAt: now,
            now: now
        )
        planner.checkInTexts = CheckInTexts()
        let plan = planner.plan(user.settled(settled), now: now + 5)
        #expect(plan.records.map(\.outcome) == [.skipped] && plan.records.map(\.reason) == ["no_text"])
        #expect(plan.reason != .noText, "the slot counts, so the next one is awaited")
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
