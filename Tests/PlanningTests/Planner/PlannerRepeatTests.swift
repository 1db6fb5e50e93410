import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

/// Messages that were tried, and what a second attempt owes to the first.
@Suite struct PlannerRepeatTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    /// Promise 2: repeated once, with the same ids; a second unknown is final.
    @Test func message_whenItsOutcomeIsUnknown_isRepeatedOnce() throws {
        let first = try #require(planner.plan(M.user([M.message(1)]), now: now).sendPlan)
        let unknown = PushOutcome.unknown(reason: "no_answer")
        let settled = planner.settle(first, outcomes: [unknown], attemptedAt: now, now: now + 10)
        #expect(settled.ended.isEmpty && settled.records.map(\.outcome) == [.unknown])
        #expect(settled.state.history.sent.count == 2 && settled.dueAt == now + 11)
        let again = M.user([M.message(1)], retry: settled.retry, history: settled.state.history)
        let second = try #require(planner.plan(again, now: now + 11).sendPlan)
        #expect(second.targets.map(\.apnsID) == first.targets.map(\.apnsID))
        #expect(second.nudges.map(\.collapseKey) == first.nudges.map(\.collapseKey))
        let final = planner.settle(second, outcomes: [unknown], attemptedAt: now + 11, now: now + 20)
        #expect(final.ended == [M.id(1)] && final.retry == nil)
        // It counts once.
        #expect(final.state.history.sent.count == 2)
    }

    /// The repeat is not held by its own entry in the cap, and keeps to what changed since.
    @Test func repeat_whenAsked_leavesItsOwnSendOut() throws {
        let one = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","max_per_day":1}"#
        let first = try #require(
            planner.plan(M.user([M.message(1)], history: History(), preferences: one), now: now).sendPlan
        )
        let settled = planner.settle(first, outcomes: [.unknown(reason: "x")], attemptedAt: now, now: now)
        let changed = M.user(
            [M.message(1)],
            retry: settled.retry,
            history: settled.state.history,
            preferences: one,
            version: 2 << 32
        )
        #expect(planner.plan(changed, now: now + 2).sendPlan?.nudges.map(\.identity) == [.message(M.id(1))])
        // Into the night: it waits for the morning, and is still a repeat then.
        let late = planner.plan(changed, now: F.at("2026-11-20T14:00:00Z"))
        let rest = try #require(late.rest)
        let morning = F.at("2026-11-20T23:00:00Z")
        #expect(rest.dueAt == morning && rest.retry?.contains("repeat") == true)
        // Opted out since: it ends, and no device gets it.
        let off = planner.plan(
            M.user(
                [M.message(1)],
                retry: settled.retry,
                history: settled.state.history,
                preferences: #"{"messages_enabled":false}"#,
                version: 2 << 32
            ),
            now: now + 2
        )
        #expect(
            off.ended == [M.id(1)] && off.records.map(\.outcome) == [.skipped]
                && off.records[0].reason == "disabled"
        )
    }

    /// What recovery enters from the intent of a dead daemon.
    @Test func intent_whenTheDaemonDies_saysWhatIsRepeated() throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(planner.plan(M.user([M.message(1)], devices: two), now: now).sendPlan)
        let died = F.recovered(first, by: planner, now: now)
        #expect(died.ended.isEmpty && died.records.map(\.reason) == ["daemon_lost", "daemon_lost"])
        let left = Retry.all(json: try #require(died.retry))
        #expect(left.map(\.countedAt) == [now] && left[0].left.map(\.isRepeat) == [true, true])
        let again = M.user([M.message(1)], retry: died.retry, history: died.state.history, devices: two)
        #expect(died.state.history.sent.count == 2)
        let second = try #require(planner.plan(again, now: now + 40).sendPlan)
        #expect(second.targets.map(\.apnsID) == first.targets.map(\.apnsID) && second.targets.allSatisfy(\.isRepeat))
        let last = F.recovered(second, by: planner, now: now + 40)
        #expect(last.ended == [M.id(1)] && last.retry == nil && last.state.history.sent.count == 2, "it counts once")
    }

    @Test func message_whenOneDeviceWasRefusedAndOneIsDelayed_goesOnThere() throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(planner.plan(M.user([M.message(1)], devices: two), now: now).sendPlan)
        let settled = planner.settle(
            first,
            outcomes: [.accepted, .delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)],
            attemptedAt: now,
            now: now
        )
        #expect(settled.ended.isEmpty && settled.dueAt == now + 900)
        let again = M.user([M.message(1)], retry: settled.retry, history: settled.state.history, devices: two)
        #expect(planner.plan(again, now: now + 5).sendPlan == nil)
        let second = try #require(planner.plan(again, now: now + 900).sendPlan)
        #expect(
            second.targets.map(\.hash) == [PushIdentity.deviceHash(token: F.token(2))] && !second.targets[0].isRepeat
        )
        #expect(
            planner.settle(second, outcomes: [.accepted], attemptedAt: now + 900, now: now + 900).ended == [
                M.id(1)
            ]
        )
    }

    @Test func retries_whenWrittenAndRead_areEqual() throws {
        let message = NudgeIdentity.message(M.id(1))
        let all = [
            Retry(
                identity: .checkIn(F.date("2026-11-20")),
                validUntil: now,
                version: 3,
                attempt: 1,
                countedAt: nil,
                left: []
            ),
            Retry(
                identity: message,
                validUntil: nil,
                version: 3,
                attempt: 0,
                countedAt: now,
                left: [
                    Retry.Left(deviceHash: "ab", notBefore: now, isRepeat: true)
                ]
            ),
            Retry(
                identity: .digest(of: message),
                members: [message, .message(M.id(2))],
                validUntil: now,
                version: 1,
                attempt: 0,
                countedAt: nil,
                left: []
            ),
        ]
        #expect(Retry.json(all).map(Retry.all) == all)
        #expect(Retry.json([all[1]]).map(Retry.all) == [all[1]])
    }

    /// Apple is busy shortly before quiet hours: the message goes on in the morning. One that expires before its next attempt ends.
    @Test func message_whenAppleIsBusyBeforeTheNight_waitsForTheMorning() throws {
        let evening = F.at("2026-11-20T12:50:00Z")
        let busy = PushOutcome.delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)
        let sendPlan = try #require(planner.plan(M.user([M.message(1)]), now: evening).sendPlan)
        #expect(sendPlan.validUntil == F.at("2026-11-20T13:00:00Z"))
        let settled = planner.settle(sendPlan, outcomes: [busy], attemptedAt: evening, now: evening)
        #expect(settled.ended.isEmpty && settled.records.map(\.outcome) == [.deferred])
        let again = M.user([M.message(1)], retry: settled.retry, history: settled.state.history)
        let asleep = planner.plan(again, now: settled.dueAt)
        #expect(asleep.sendPlan == nil && asleep.ended.isEmpty)
        let morning = F.at("2026-11-20T23:00:00Z")
        #expect(try #require(asleep.rest).dueAt == morning)
        let late = M.user([M.message(1)], retry: asleep.rest?.retry, history: settled.state.history)
        #expect(planner.plan(late, now: morning).sendPlan?.targets.map(\.apnsID) == sendPlan.targets.map(\.apnsID))
        let short = M.user([M.message(2, expiresAt: evening + 600)])
        let last = try #require(planner.plan(short, now: evening).sendPlan)
        #expect(planner.settle(last, outcomes: [busy], attemptedAt: evening, now: evening).ended == [M.id(2)])
    }
}
