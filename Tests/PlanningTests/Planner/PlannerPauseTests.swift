import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

/// Pauses in the planner.
@Suite struct PlannerPauseTests {
    typealias F = PlannerFixture

    private static func planner(_ paused: Set<NudgeKind>) -> Planner {
        var planner = F.planner()
        planner.paused = paused
        return planner
    }

    /// 10:30 in Tokyo, half an hour into the slot.
    private static let now = F.at("2026-05-06T01:30:00Z")
    private static let evaluated = F.at("2026-05-06T00:00:00Z")

    @Test func plan_whenCheckInsArePaused_rests() throws {
        let user = F.user(evaluatedAt: Self.evaluated)
        #expect(F.planner().plan(user, now: Self.now).sendPlan != nil)
        #expect(Self.planner([.message, .reminder]).plan(user, now: Self.now).sendPlan != nil)
        let plan = Self.planner([.checkIn]).plan(user, now: Self.now)
        #expect(plan.reason == .paused)
        let rest = try #require(plan.rest)
        #expect(rest.dueAt > Self.now && rest.dueAt <= Self.now + 86_400)
    }

    /// The slot of 10:00 ended at 14:00: whether or not the switch still holds, its record is there once.
    @Test func plan_whenASlotGoesByPaused_recordsIt() throws {
        let user = F.user(since: Self.evaluated - 86_400, fingerprint: nil, evaluatedAt: Self.evaluated)
        for paused: Set<NudgeKind> in [[], [.checkIn]] {
            let plan = Self.planner(paused).plan(user, now: F.at("2026-05-06T05:00:00Z"))
            #expect(plan.records.map(\.key) == ["2026-05-06"])
            #expect(plan.records.map(\.reason) == ["stale"] && plan.records.first?.outcome == .skipped)
        }
    }

    private static let answerEnd = F.at("2026-05-06T05:00:00Z")

    private static func retry(counts: Bool) -> Retry {
        Retry(
            identity: .checkIn(F.date("2026-05-06")),
            validUntil: answerEnd,
            version: 1,
            attempt: 1,
            countedAt: counts ? now - 900 : nil,
            left: [.init(deviceHash: PushIdentity.deviceHash(token: F.token(1)), notBefore: now)]
        )
    }

    /// Devices that are left go on under the first answer, but not past the switch; what is left is kept for a resume.
    @Test(arguments: [true, false]) func plan_whenANudgeIsHalfSent_keepsWhatIsLeft(counts: Bool) throws {
        let own = CheckIn(at: Self.now - 900, slot: F.date("2026-05-06"))
        let user = F.user(
            evaluatedAt: Self.now - 900,
            history: counts ? History().adding(own) : History(),
            retry: Self.retry(counts: counts),
            devices: [F.device(1), F.device(2)]
        )
        #expect(F.planner().plan(user, now: Self.now).sendPlan != nil)
        let plan = Self.planner([.checkIn]).plan(user, now: Self.now)
        let rest = try #require(plan.rest)
        #expect(rest.retry == Retry.json([Self.retry(counts: counts)]))
        #expect(rest.dueAt == Self.answerEnd)
        // Its answer has ended: what counts is recorded as skipped, and nothing is kept.
        let late = Self.planner([.checkIn]).plan(user, now: Self.answerEnd)
        #expect(late.rest?.retry == nil && late.reason == .paused)
        #expect(late.records.contains { $0.outcome == .skipped && $0.reason == "stale" })
    }

    // MARK: Messages

    private static func message(_ number: UInt8, expiresAt: Instant? = nil) -> PendingMessage {
        PendingMessage(
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)),
            createdAt: now - 60,
            title: "Hi",
            body: "there",
            expiresAt: expiresAt
        )
    }

    @Test func plan_whenMessagesArePaused_keepsThemAndSendsTheCheckIn() throws {
        let user = F.user(
            evaluatedAt: Self.evaluated,
            messages: [Self.message(1), Self.message(2, expiresAt: Self.now + 600)]
        )
        #expect(F.planner().plan(user, now: Self.now).sendPlan?.nudges.count == 3)
        let sendPlan = try #require(Self.planner([.message]).plan(user, now: Self.now).sendPlan)
        #expect(sendPlan.nudges.map(\.identity.kind) == [.checkIn] && sendPlan.ended == [] && sendPlan.records == [])
        #expect(sendPlan.othersDue == Self.now + 600)
        // The other way round the check-in waits, and does not make the user due at once.
        let messages = try #require(Self.planner([.checkIn]).plan(user, now: Self.now).sendPlan)
        #expect(messages.nudges.map(\.identity.kind) == [.message, .message])
        let settled = Self.planner([.checkIn])
            .settle(messages, outcomes: [.accepted, .accepted], attemptedAt: Self.now, now: Self.now)
        #expect(settled.dueAt > Self.now + 600)
        // All paused: the next question is when one of them ends, which is then recorded.
        let all = Self.planner(Set(NudgeKind.allCases))
        #expect(all.plan(user, now: Self.now).rest?.dueAt == Self.now + 600)
        let late = all.plan(user, now: Self.now + 600)
        #expect(late.records.map(\.reason) == ["expired"] && late.ended == [Self.message(2).id])
    }

    /// Messages whose devices are left wait for a resume, and are not asked each second in vain.
    @Test(arguments: [true, false]) func plan_whenAMessageIsHalfSent_keepsWhatIsLeft(counts: Bool) throws {
        let message = Self.message(1, expiresAt: Self.now + 7200)
        let retry = Retry(
            identity: .message(message.id),
            validUntil: Self.now + 3600,
            version: 1,
            attempt: 1,
            countedAt: counts ? Self.now - 900 : nil,
            left: [.init(deviceHash: PushIdentity.deviceHash(token: F.token(1)), notBefore: Self.now)]
        )
        let user = F.user(
            evaluatedAt: Self.now - 900,
            history: counts ? History().adding(sent: Self.now - 900) : History(),
            retry: retry,
            preferences: #"{"check_ins_enabled":false,"frequency":"daily","timezone":"Asia/Tokyo"}"#,
            devices: [F.device(1), F.device(2)],
            messages: [message]
        )
        #expect(F.planner().plan(user, now: Self.now).sendPlan?.targets.count == 1)
        let rest = try #require(Self.planner([.message]).plan(user, now: Self.now).rest)
        #expect(rest.retry == Retry.json([retry]) && rest.dueAt == Self.now + 7200)
        // The answer has expired. The policy is evaluated again, and the message is still held.
        let later = try #require(Self.planner([.message]).plan(user, now: Self.now + 3600).rest)
        #expect(later.retry == Retry.json([retry]) && later.dueAt == Self.now + 7200)
        let end = Self.planner([.message]).plan(user, now: Self.now + 7200)
        #expect(end.rest?.retry == nil && end.ended == [message.id] && end.records.count == 1)
    }

    /// The switch fell while the turn waited for a stream.
    @Test func turn_whenAKindOfItIsPaused_sendsTheOthers() throws {
        let user = F.user(evaluatedAt: Self.evaluated, messages: [Self.message(1), Self.message(2)])
        let sendPlan = try #require(F.planner().plan(user, now: Self.now).sendPlan)
        let checkIn = sendPlan.sendable(at: Self.now, paused: [.message])
        #expect(checkIn.nudges.map(\.identity.kind) == [.checkIn] && checkIn.isPartial)
        let messages = sendPlan.sendable(at: Self.now, paused: [.checkIn])
        #expect(messages.nudges.map(\.identity.kind) == [.message, .message] && messages.isPartial)
        #expect(sendPlan.sendable(at: Self.now, paused: Set(NudgeKind.allCases)).nudges.isEmpty)
        #expect(sendPlan.sendable(at: Self.now, paused: [.reminder]).nudges.count == 3)
    }

    /// What explain shows: each question with whose it was, the messages by their ids.
    @Test func recorder_whenMessagesAreDecided_knowsThemByTheirIDs() throws {
        var planner = F.planner()
        let recorder = DecisionRecorder()
        planner.recorder = recorder
        _ = planner.plan(
            F.user(evaluatedAt: Self.evaluated, messages: [Self.message(1), Self.message(2)]),
            now: Self.now
        )
        #expect(recorder.entries.map(\.kind) == [.message, .message, .checkIn])
        #expect(recorder.entries.map(\.key) == [Self.message(1).key, Self.message(2).key, nil])
        #expect(recorder.entries.allSatisfy { !"\($0)".contains("there") })
    }
}

extension PendingMessage {
    fileprivate var key: String { id.uuidString.lowercased() }
}
