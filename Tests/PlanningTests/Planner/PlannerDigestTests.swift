import Fixtures
import APNs
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

/// Messages that waited for the end of quiet hours.
@Suite struct PlannerDigestTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    private var night: Instant { F.at("2026-11-19T18:00:00Z") }
    private var morning: Instant { F.at("2026-11-19T23:00:00Z") }

    private func nightly(_ count: UInt8) -> [PendingMessage] {
        (1...count).map { M.message($0, created: night + Int64($0)) }
    }

    @Test func messages_whenMoreThanThreeWaitedForTheMorning_wakeAsOne() throws {
        let three = try #require(planner.plan(M.user(nightly(3), history: History()), now: morning).sendPlan)
        #expect(three.nudges.count == 3)
        let sendPlan = try #require(
            planner.plan(M.user(nightly(4) + [M.message(9, created: morning)], history: History()), now: morning)
                .sendPlan
        )
        #expect(sendPlan.nudges.count == 2)
        let digest = sendPlan.nudges[0]
        #expect(
            digest.identity == .digest(of: .message(M.id(1))) && digest.members == (1...4).map { .message(M.id($0)) }
        )
        #expect(M.text(try M.payload(digest)["aps"]?["alert"]?["body"]) == "4 came.")
        // It counts once, and each message has its row.
        let settled = planner.settle(sendPlan, outcomes: [.accepted, .accepted], attemptedAt: morning, now: morning)
        #expect(settled.state.history.sent.count == 2 && settled.records.count == 5)
        #expect(settled.records.count { $0.reason == "digest" } == 4 && Set(settled.records.map(\.apnsID)).count == 2)
        #expect(Set(settled.ended).count == 5)
    }

    @Test func digest_whenItsOutcomeIsUnknown_isRepeatedAsOne() throws {
        let sendPlan = try #require(planner.plan(M.user(nightly(4), history: History()), now: morning).sendPlan)
        let unknown = planner.settle(
            sendPlan,
            outcomes: [.unknown(reason: "no_answer")],
            attemptedAt: morning,
            now: morning
        )
        #expect(unknown.ended.isEmpty && unknown.records.count == 4)
        let again = M.user(nightly(4), retry: unknown.retry, history: unknown.state.history)
        let repeated = try #require(planner.plan(again, now: morning + 2).sendPlan)
        #expect(repeated.nudges.map(\.members) == sendPlan.nudges.map(\.members))
        #expect(repeated.targets.map(\.apnsID) == sendPlan.targets.map(\.apnsID))
        // One of them was cancelled meanwhile.
        let fewer = M.user(Array(nightly(4).dropFirst()), retry: unknown.retry, history: unknown.state.history)
        let rest = try #require(planner.plan(fewer, now: morning + 2).sendPlan)
        #expect(rest.nudges.map(\.members.count) == [3] && rest.targets.map(\.apnsID) == sendPlan.targets.map(\.apnsID))
    }
}
