import APNs
import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// A message that disturbs nobody: a withdrawal.
@Suite struct PlannerSilentTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    private static let id = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    private func withdrawal(_ number: UInt8, expiresAt: Instant? = nil) -> PendingMessage {
        M.message(number, "", body: "", expiresAt: expiresAt, apns: #"{"withdraw":"\#(Self.id)"}"#)
    }

    /// Quiet hours, a mute, a limit and a missing zone hold a message, but not this one.
    @Test(arguments: [
        #"{"timezone":"Asia/Tokyo","quiet_hours_start":"00:00","quiet_hours_end":"23:59"}"#,
        #"{"timezone":"Asia/Tokyo","muted_until":"2026-11-21T00:00:00Z"}"#,
        #"{"timezone":"Asia/Tokyo","max_per_day":1}"#,
        "{}",
    ]) func withdrawal_whenAMessageIsHeld_isSent(preferences: String) throws {
        #expect(planner.plan(M.user([M.message(1)], preferences: preferences), now: now).sendPlan == nil)
        let plan = planner.plan(M.user([M.message(1), withdrawal(2)], preferences: preferences), now: now)
        let nudge = try #require(plan.sendPlan?.nudges.first)
        #expect(plan.sendPlan?.nudges.count == 1 && nudge.validUntil == nil && nudge.type == .background)
        let name = M.id(2).uuidString.lowercased()
        #expect(
            String(decoding: nudge.payload, as: UTF8.self)
                == #"{"aps":{"content-available":1},"withdraw":"\#(Self.id)","nudge":"\#(name)"}"#
        )
    }

    @Test(arguments: [("disabled", #"{"messages_enabled":false}"#, 60), ("expired", "{}", 0)])
    func withdrawal_whenItCanNotGo_isDropped(reason: String, preferences: String, expires: Int64) {
        let plan = planner.plan(
            M.user([withdrawal(1, expiresAt: now + expires)], preferences: preferences),
            now: now
        )
        #expect(plan.ended == [M.id(1)] && plan.records.contains { $0.reason == reason })
    }

    /// The next message finds the limit as it was, in the same plan and after it.
    @Test func withdrawal_whenSent_countsInNoLimit() throws {
        let one = #"{"timezone":"Asia/Tokyo","max_per_hour":1}"#
        let user = M.user([withdrawal(1), M.message(2)], history: History(), preferences: one)
        let plan = try #require(planner.plan(user, now: now).sendPlan)
        #expect(plan.nudges.map(\.identity) == [.message(M.id(1)), .message(M.id(2))])
        let settled = planner.settle(plan, outcomes: [.accepted, .accepted], attemptedAt: now, now: now)
        #expect(settled.state.history.sent == [now] && settled.ended == [M.id(1), M.id(2)])
    }

    /// Another nudge was counted in the same second: repeating or leaving out this one must not touch its entry.
    @Test func withdrawal_whenRepeated_leavesTheEntriesOfOthers() throws {
        let user = M.user([withdrawal(1, expiresAt: now + 60)], history: History(sent: [now]))
        let first = try #require(planner.plan(user, now: now).sendPlan)
        let unknown = planner.settle(first, outcomes: [.unknown(reason: "")], attemptedAt: now, now: now)
        #expect(unknown.state.history.sent == [now])
        let retry = try #require(unknown.retry)
        let later = M.user([withdrawal(1, expiresAt: now + 60)], retry: retry, history: unknown.state.history)
        let again = try #require(planner.plan(later, now: now + 1).sendPlan)
        #expect(again.countedAt == now && again.candidate.history.sent == [now])
        let settled = planner.settle(again, outcomes: [.accepted], attemptedAt: now + 1, now: now + 1)
        #expect(settled.state.history.sent == [now] && settled.ended == [M.id(1)])
        let tooLate = again.sendable(at: now + 60, paused: [])
        #expect(tooLate.nudges.isEmpty && tooLate.candidate.history.sent == [now])
    }

    /// It counts or not: what it withdraws is over, and nothing else is.
    @Test(arguments: [true, false]) func nudge_whenItsWithdrawalWaits_ends(counts: Bool) throws {
        let own = NudgeIdentity.message(M.id(1))
        let order = M.message(2, "", body: "", apns: #"{"withdraw":"\#(own.key)"}"#)
        let retry = Retry(
            identity: own,
            validUntil: nil,
            version: 1,
            attempt: 1,
            countedAt: counts ? now - 60 : nil,
            left: [.init(deviceHash: PushIdentity.deviceHash(token: F.token(1)), notBefore: now + 60)]
        )
        let plan = planner.plan(M.user([M.message(1), order, M.message(3)], retry: Retry.json([retry])), now: now)
        let sent = try #require(plan.sendPlan)
        #expect(sent.nudges.map(\.identity) == [.message(M.id(2)), .message(M.id(3))])
        #expect(sent.ended == [own] && sent.others.isEmpty)
        #expect(sent.records.map(\.reason) == ["withdrawn"])
        #expect(sent.records.map(\.outcome) == [counts ? .skipped : .dropped])
    }
}
