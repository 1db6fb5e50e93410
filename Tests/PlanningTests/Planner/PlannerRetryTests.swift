import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

/// What becomes of a nudge whose devices were not all answered at once.
@Suite struct PlannerRetryTests {
    typealias F = PlannerFixture
    private let planner = F.planner()
    private let slot = F.date("2026-11-20")
    private let now = F.at("2026-11-20T01:00:00Z")
    private let unavailable = PushOutcome.delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)

    private func hash(_ number: Int) -> String { PushIdentity.deviceHash(token: F.token(number)) }

    /// The row after a settlement, as the next claim brings it.
    private func next(
        _ update: Change,
        version: Int64? = nil,
        touchedAt: Instant? = nil,
        preferences: String = F.daily,
        devices: [Device] = [F.device(1), F.device(2)]
    ) -> ClaimedUser {
        F.user(
            version: version ?? update.version ?? 1,
            touchedAt: touchedAt,
            since: update.since,
            fingerprint: update.state.fingerprint,
            evaluatedAt: update.evaluatedAt,
            history: update.state.history,
            retry: update.retry.flatMap { Retry.all(json: $0).first },
            preferences: preferences,
            devices: devices
        )
    }

    private func settle(_ user: ClaimedUser, _ outcomes: [PushOutcome], now: Instant) throws -> Change {
        let nudge = try #require(planner.plan(user, now: now).sendPlan)
        #expect(nudge.targets.count == outcomes.count)
        return planner.settle(nudge, outcomes: outcomes, attemptedAt: now, now: now)
    }

    private var two: ClaimedUser { F.user(devices: [F.device(1), F.device(2)]) }

    // MARK: Outcomes of one attempt

    @Test func settle_whenAccepted_countsTheSlotAndWaitsForTheNext() throws {
        let settled = try settle(two, [.accepted, .accepted], now: now)
        #expect(settled.state.history.checkIns == [CheckIn(at: now, slot: slot)])
        #expect(settled.state.history.sent == [now])
        #expect(settled.retry == nil)
        // The next slot, or the day's re-check before it.
        #expect(settled.dueAt > now + 70_000 && settled.dueAt <= F.at("2026-11-21T01:00:00Z"))
        #expect(settled.records.map(\.outcome) == [.accepted, .accepted])
    }

    @Test func settle_whenAllWereRejected_closesTheSlot() throws {
        let bad = PushOutcome.rejected(status: 400, reason: "BadDeviceToken", deletes: nil)
        let settled = try settle(two, [bad, bad], now: now)
        #expect(settled.state.history.closed == [slot])
        #expect(settled.state.history.checkIns.isEmpty && settled.state.history.sent.isEmpty)
        #expect(settled.staleTokens.isEmpty)
        // The next slot, or the day's re-check before it.
        #expect(settled.dueAt > now + 70_000 && settled.dueAt <= F.at("2026-11-21T01:00:00Z"))
    }

    @Test func settle_whenOneWasRejectedAndOneAccepted_counts() throws {
        let bad = PushOutcome.rejected(status: 400, reason: "BadDeviceToken", deletes: nil)
        let settled = try settle(two, [bad, .accepted], now: now)
        #expect(settled.state.history.closed.isEmpty)
        #expect(settled.state.history.checkIns.count == 1 && settled.retry == nil)
    }

    @Test func settle_whenUnsent_leavesNoTrace() throws {
        let settled = try settle(two, [.unsent(reason: "x"), .unsent(reason: "x")], now: now)
        #expect(settled.records.isEmpty && settled.staleTokens.isEmpty)
        #expect(settled.state.history == History())
        #expect(settled.retry == nil)
        #expect(settled.dueAt == now + 1)
    }

    @Test func settle_whenUnregistered_namesTheTokenAndTheMillisecond() throws {
        let gone = PushOutcome.rejected(
            status: 410,
            reason: "Unregistered",
            deletes: .olderThan(timestamp: 1_767_225_600_123)
        )
        let settled = try settle(F.user(), [gone], now: now)
        #expect(settled.staleTokens.map(\.unregisteredAt) == [1_767_225_600_123])
        #expect(settled.staleTokens.map(\.token) == [F.token(1)])
        #expect(settled.staleTokens.map(\.topic) == [F.lane.topic])
        let untimed = PushOutcome.rejected(status: 410, reason: "Unregistered", deletes: .olderThanSend)
        let other = try settle(F.user(), [untimed], now: now)
        #expect(other.staleTokens.map(\.unregisteredAt) == [now.seconds * 1000])
    }

    // MARK: Back-off where nothing counts yet

    @Test func backOff_whenUncounted_doublesFromFifteenMinutes() throws {
        var user = two
        var instant = now
        for wait in [900, 1800, 3600] as [Int64] {
            let settled = try settle(user, [unavailable, unavailable], now: instant)
            #expect(settled.records.allSatisfy { $0.outcome == .deferred })
            #expect(settled.state.history == History())
            #expect(settled.dueAt == instant + wait)
            // A second before, nothing goes.
            #expect(planner.plan(next(settled), now: instant + (wait - 1)).sendPlan == nil)
            user = next(settled)
            instant = instant + wait
        }
        // 02:45 UTC and two hours are before the end, 05:00; the next four hours are not: this device's end.
        let settled = try settle(user, [unavailable, unavailable], now: instant)
        let last = try settle(next(settled), [unavailable, unavailable], now: settled.dueAt)
        #expect(last.records.allSatisfy { $0.outcome == .skipped })
        #expect(last.retry == nil && last.state.history.closed == [slot])
    }

    @Test func backOff_whenRetryAfterIsLonger_isThat() throws {
        let settled = try settle(
            F.user(),
            [.delayed(reason: "TooManyRequests", status: 429, retryAfter: 1234)],
            now: now
        )
        #expect(settled.dueAt == now + 1234)
    }

    @Test func backOff_when429WithoutRetryAfter_delaysThisDeviceOnly() throws {
        let settled = try settle(
            two,
            [.delayed(reason: "TooManyRequests", status: 429, retryAfter: nil), .accepted],
            now: now
        )
        #expect(settled.state.history.checkIns.count == 1)
        let retry = try #require(settled.retry.flatMap { Retry.all(json: $0).first })
        #expect(retry.counts && retry.left.map(\.deviceHash) == [hash(1)])
        #expect(settled.dueAt == now + 60)
    }

    // MARK: A nudge that counts

    @Test func goOn_whenCounted_sendsOnlyToTheDeviceThatIsLeft() throws {
        let settled = try settle(two, [.accepted, unavailable], now: now)
        let again = try #require(planner.plan(next(settled), now: now + 900).sendPlan)
        #expect(again.targets.map(\.hash) == [hash(2)])
        #expect(again.countedAt == now)
        #expect(again.validUntil == F.at("2026-11-20T05:00:00Z"))
        let done = planner.settle(again, outcomes: [.accepted], attemptedAt: now + 900, now: now + 900)
        // It counts once, from its first device.
        #expect(done.state.history.checkIns == [CheckIn(at: now, slot: slot)])
        #expect(done.state.history.sent == [now])
        #expect(done.retry == nil)
    }

    @Test func goOn_whenTheLastDeviceIsRejected_staysCounted() throws {
        let settled = try settle(two, [.accepted, unavailable], now: now)
        let bad = PushOutcome.rejected(status: 400, reason: "BadDeviceToken", deletes: nil)
        let done = try settle(next(settled), [bad], now: now + 900)
        #expect(done.state.history.checkIns.count == 1 && done.state.history.closed.isEmpty)
    }

    @Test func goOn_whenSomethingChanged_isEvaluatedAgainWithoutItsOwnEntry() throws {
        let settled = try settle(two, [.accepted, unavailable], now: now)
        let kept = planner.plan(next(settled, version: 1 << 32, touchedAt: now + 60), now: now + 900)
        #expect(kept.sendPlan?.targets.map(\.hash) == [hash(2)])
        let disabled = F.daily.replacing("true", with: "false")
        let off = planner.plan(
            next(settled, version: 1 << 32, touchedAt: now + 60, preferences: disabled),
            now: now + 900
        )
        #expect(off.sendPlan == nil)
        #expect(off.records.map(\.deviceHash) == [hash(2)] && off.records.map(\.outcome) == [.skipped])
    }

    @Test func goOn_whenItsTimeWentBy_recordsTheDeviceOnce() throws {
        let settled = try settle(two, [.accepted, unavailable], now: now)
        let late = F.at("2026-11-20T05:00:01Z")
        let plan = planner.plan(next(settled), now: late)
        #expect(plan.sendPlan == nil)
        #expect(plan.records.map(\.deviceHash) == [hash(2)])
        #expect(plan.records.map(\.reason) == ["stale"])
        // A second plan writes the same row.
        #expect(planner.plan(next(settled), now: late + 9).records == plan.records)
        let rest = try #require(plan.rest)
        #expect(rest.retry == nil)
    }

    @Test func goOn_whenItIsNightNow_isEvaluatedInTheMorningAndNotEachSecond() throws {
        // Quiet from 22:00 (13:00 UTC), a slot that lives for two days.
        let rules = Rules { $0.maxStalenessMinutes = 2880 }
        let planner = F.planner(rules)
        let evening = F.daily.replacing("10:00", with: "21:50")
        let start = F.at("2026-11-20T12:50:00Z")
        let nudge = try #require(
            planner.plan(F.user(preferences: evening, devices: [F.device(1), F.device(2)]), now: start).sendPlan
        )
        #expect(nudge.validUntil == F.at("2026-11-20T13:00:00Z"))
        let short = PushOutcome.delayed(reason: "TooManyRequests", status: 429, retryAfter: nil)
        let settled = planner.settle(nudge, outcomes: [.accepted, short], attemptedAt: start, now: start)
        let night = F.at("2026-11-20T14:00:00Z")
        let rest = try #require(planner.plan(next(settled, preferences: evening), now: night).rest)
        #expect(rest.dueAt == F.at("2026-11-20T23:00:00Z"))
        #expect(rest.retry != nil)
    }

    // MARK: Crashes

    /// A daemon dies between the intent and the outcome of the second attempt: what was in that intent is unknown, and never written again.
    @Test func intent_whenTheDaemonDiesInARetry_leavesNothingToWriteTwice() throws {
        let settled = try settle(two, [.accepted, unavailable], now: now)
        let again = try #require(planner.plan(next(settled), now: now + 900).sendPlan)
        let atIntent = F.recovered(again, by: planner, now: now + 900)
        #expect(planner.plan(next(atIntent), now: now + 1000).sendPlan == nil)
    }

    /// Streams were free for one of two devices, and the daemon dies: the other device is not forgotten.
    @Test func intent_whenTheDaemonDiesAfterASplit_leavesTheOtherDevice() throws {
        let nudge = try #require(planner.plan(two, now: now).sendPlan)
        var pending = [nudge][...]
        let part = try #require(SendPlan.take(upTo: 1, from: &pending).first)
        #expect(part.targets.map(\.hash) == [hash(1)])
        let atIntent = F.recovered(part, by: planner, now: now)
        let rest = try #require(planner.plan(next(atIntent), now: now + 90).sendPlan)
        #expect(rest.targets.map(\.hash) == [hash(2)])
        #expect(rest.countedAt == now)
    }

    @Test func take_whenSeveralFit_keepsUsersWhole() throws {
        let nudge = try #require(planner.plan(two, now: now).sendPlan)
        var pending = [nudge, nudge, nudge][...]
        #expect(SendPlan.take(upTo: 5, from: &pending).count == 2)
        #expect(pending.count == 1)
    }

    @Test func retry_whenWrittenAndRead_isEqual() throws {
        let retry = Retry(
            identity: .checkIn(slot),
            validUntil: now,
            version: 9,
            attempt: 3,
            countedAt: now,
            left: [Retry.Left(deviceHash: hash(1), notBefore: now)]
        )
        #expect(Retry.json([retry]).map(Retry.all) == [retry])
        let ids = [UUID(), UUID()]
        let digest = Retry(
            identity: .digest(of: .message(ids[0])),
            members: [.message(ids[0]), .message(ids[1])],
            validUntil: nil,
            version: 9,
            attempt: 0,
            countedAt: nil,
            left: [Retry.Left(deviceHash: hash(1), notBefore: now, isRepeat: true)]
        )
        let both = try #require(Retry.json([retry, digest]))
        #expect(Retry.all(json: both) == [retry, digest] && Retry.knows(json: both))
        // A newer version's: it must not be evaluated as if nothing had been tried, nor be written back without it.
        for newer in [both.replacing("attempt", with: "tries"), both.replacing("left", with: "later\":1,\"left"), "7"] {
            #expect(!Retry.knows(json: newer), "\(newer)")
        }
        #expect(Retry.json([]) == nil)
        #expect(Retry.all(json: "[]").isEmpty && Retry.all(json: "{").isEmpty && Retry.all(json: "[{}]").isEmpty)
    }

    /// Such a text can't be written back as it is, so it must not be kept.
    @Test(arguments: [#"a\"b"#, #"a\\b"#, #"a\u0000b"#])
    func retry_whenANameNeedsAnEscape_isLeftOut(name: String) {
        func json(key: String, members: String, device: String) -> String {
            #"[{"kind":"message","key":"\#(key)","members":[\#(members)],"version":1,"attempt":0,"#
                + #""left":[{"device":"\#(device)","not_before":"2026-11-20T01:00:00Z"}]}]"#
        }
        #expect(Retry.all(json: json(key: "digest:a", members: #""a""#, device: "b")).map(\.left.count) == [1])
        #expect(Retry.all(json: json(key: name, members: "", device: "b")).isEmpty)
        let rest = Retry.all(json: json(key: "digest:a", members: "\"\(name)\",\"a\"", device: name))
        #expect(rest.map(\.members) == [[NudgeIdentity(kind: .message, key: "a", slot: nil)]])
        #expect(rest.map(\.left.count) == [0])
    }
}
