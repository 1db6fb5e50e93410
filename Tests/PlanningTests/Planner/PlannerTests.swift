import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// 10:00 in Tokyo is 01:00 UTC; the slot of 2026-11-20 lives until 05:00 UTC.
@Suite struct PlannerTests {
    typealias F = PlannerFixture
    private let planner = F.planner()
    private let slot = F.date("2026-11-20")
    private let inSlot = F.at("2026-11-20T01:00:00Z")

    // MARK: First attempts

    @Test func firstAttempt_whenSlotIsLive_sendsToEveryServedDevice() throws {
        let nudge = try #require(planner.plan(F.user(devices: [F.device(1), F.device(2)]), now: inSlot).sendPlan)
        #expect(nudge.slot == slot)
        #expect(nudge.targets.map(\.device.token) == [F.token(1), F.token(2)])
        #expect(nudge.validUntil == F.at("2026-11-20T05:00:00Z"))
        #expect(nudge.attempt == 0 && nudge.countedAt == nil && nudge.waiting.isEmpty)
    }

    @Test func firstAttempt_whenOneTokenStandsInTwoSpellings_sendsOnce() throws {
        let lower = String(repeating: "ab", count: 32)
        let devices = [lower, lower.uppercased()].map { Device(token: $0, registeredAt: F.at("2026-01-01T00:00:00Z")) }
        let nudge = try #require(planner.plan(F.user(devices: devices), now: inSlot).sendPlan)
        #expect(nudge.targets.count == 1)
    }

    @Test func devices_whenOfAnotherEnvironmentOrTopic_areNotServed() throws {
        let at = F.at("2026-01-01T00:00:00Z")
        let devices = [
            Device(token: F.token(1), registeredAt: at, environment: "production"),
            Device(token: F.token(2), registeredAt: at, topic: "com.example.other"),
            Device(token: F.token(3), registeredAt: at, environment: "sandbox", topic: "com.example.app"),
        ]
        let plan = planner.plan(F.user(devices: devices), now: inSlot)
        #expect(try #require(plan.sendPlan).targets.map(\.device.token) == [F.token(3)])
        #expect(plan.notices.contains { $0.value.event == "device" })
        let none = planner.plan(F.user(devices: Array(devices[..<2])), now: inSlot)
        #expect(none.reason == .noDevice)
    }

    // MARK: When to ask again

    @Test func dueAt_whenTheAnswerNamesAnInstant_isThatInstant() throws {
        let update = try #require(planner.plan(F.user(), now: F.at("2026-11-19T23:00:00Z")).rest)
        #expect(update.dueAt == inSlot)
    }

    @Test func dueAt_whenNothingCanChange_isWithinADay() throws {
        let now = inSlot
        let update = try #require(planner.plan(F.user(preferences: nil), now: now).rest)
        #expect(update.dueAt > now && update.dueAt <= now + 86_400)
    }

    // MARK: since

    @Test func since_whenNeverEvaluatedBefore_isTheEarliestRegistration() throws {
        let late = F.device(1, registered: "2026-11-20T02:00:00Z")
        // Registered after the slot: it is not theirs.
        #expect(planner.plan(F.user(devices: [late]), now: F.at("2026-11-20T02:00:00Z")).sendPlan == nil)
        let update = try #require(planner.plan(F.user(devices: [late]), now: F.at("2026-11-20T02:00:00Z")).rest)
        #expect(update.since == F.at("2026-11-20T02:00:00Z"))
        let both = [late, F.device(2, registered: "2026-11-19T02:00:00Z")]
        #expect(planner.plan(F.user(devices: both), now: F.at("2026-11-20T02:00:00Z")).sendPlan != nil)
    }

    @Test func since_whenTheScheduleChanged_isTheTouch() throws {
        let before = try #require(planner.plan(F.user(), now: F.at("2026-11-19T23:00:00Z")).rest)
        let other = F.daily.replacing("10:00", with: "09:00")
        let touched = F.at("2026-11-20T00:30:00Z")
        let user = F.user(
            version: 2,
            touchedAt: touched,
            since: before.since,
            fingerprint: before.state.fingerprint,
            preferences: other
        )
        let update = try #require(planner.plan(user, now: F.at("2026-11-20T00:31:00Z")).rest)
        // 09:00 in Tokyo was at 00:00 UTC, before the change.
        #expect(update.since == touched)
        #expect(update.dueAt > touched + 70_000 && update.dueAt <= F.at("2026-11-21T00:00:00Z"))
    }

    @Test func since_whenTouchedWithoutAChange_stays() throws {
        let before = try #require(planner.plan(F.user(), now: F.at("2026-11-19T23:00:00Z")).rest)
        let user = F.user(
            version: 2,
            touchedAt: F.at("2026-11-20T01:30:00Z"),
            since: before.since,
            fingerprint: before.state.fingerprint,
            preferences: F.daily.replacing("{", with: #"{"max_per_day":9,"#)
        )
        let nudge = try #require(planner.plan(user, now: F.at("2026-11-20T01:31:00Z")).sendPlan)
        #expect(nudge.candidate.since == before.since)
    }

    // MARK: Slots that went by

    @Test func skippedSlots_whenSeenTwice_areTheSameRow() throws {
        let user = F.user(evaluatedAt: F.at("2026-11-20T00:00:00Z"))
        let first = planner.plan(user, now: F.at("2026-11-20T06:00:00Z"))
        let second = planner.plan(user, now: F.at("2026-11-20T06:00:07Z"))
        #expect(first.records.map(\.key) == ["2026-11-20"])
        #expect(first.records.allSatisfy { $0.outcome == .skipped && $0.deviceHash.isEmpty && $0.reason == "stale" })
        #expect(first.records == second.records)
    }

    @Test func skippedSlots_whenAsMeanwhile_areNotTheirsAgain() throws {
        let user = F.user(evaluatedAt: F.at("2026-11-20T06:00:00Z"))
        #expect(planner.plan(user, now: F.at("2026-11-20T07:00:00Z")).records.isEmpty)
    }

    // MARK: Malformed data

    @Test func notice_whenPreferencesAreMalformed_isTheSamePerValue() throws {
        let first = planner.plan(F.user(preferences: #"{"frequency":7}"#), now: inSlot)
        #expect(first.reason == .preferencesMalformed)
        #expect(first.notices == planner.plan(F.user(preferences: #"{"frequency":7}"#), now: inSlot + 60).notices)
        #expect(first.notices.count == 1)
    }

    @Test func user_whenRetryIsUnknown_isLeftToANewerVersion() throws {
        var values = F.user().values
        values.retry = #"{"slot":"x"}"#
        guard case .unreadable(.newer("nudged.person.retry")) = planner.plan(ClaimedUser(values), now: inSlot) else {
            Issue.record("it is evaluated")
            return
        }
    }
}
