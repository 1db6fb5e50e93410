import Fixtures
import APNs
import Policy
import Store
import Testing
import TimeZones

@testable import Configuration
@testable import Planning

/// Which words a check-in goes out with, and what is remembered of them.
@Suite struct JudgeWordsTests {
    typealias F = JudgeFixture
    private let now = F.at("2026-11-20T01:00:00Z")

    private static func judge() -> Judge {
        var judge = F.judge()
        judge.words = CheckInWords(
            standard: Configuration.CheckIn(title: "Standard", body: "words"),
            templates: [
                StoredTemplate(id: 7, title: "seven", body: ""), StoredTemplate(id: 8, title: "{first_name}", body: ""),
            ]
        )
        return judge
    }

    private func turn(_ judge: Judge, _ user: ClaimedUser) throws -> PlannedTurn {
        try #require(judge.judge(user, now: now).turn)
    }

    @Test func checkIn_whenItCounts_isRemembered() throws {
        let judge = Self.judge()
        let turn = try turn(judge, F.user())
        #expect(turn.nudges.map(\.template) == [7])
        let intent = judge.entry(turn, attemptedAt: now)
        #expect(intent.devices.map(\.template) == [7])
        for outcome in [PushOutcome.accepted, .unknown(reason: "x")] {
            let settled = judge.settle(turn, outcomes: [outcome], attemptedAt: now, now: now)
            #expect(settled.update.template == 7 && settled.records.map(\.template) == [7])
        }
        // Nobody has seen it.
        for outcome in [PushOutcome.unsent(reason: "x"), .rejected(status: 400, reason: "x", deletes: nil)] {
            let settled = judge.settle(turn, outcomes: [outcome], attemptedAt: now, now: now)
            #expect(settled.update.template == nil)
        }
    }

    @Test func checkIn_whenItsTemplateWasTheLast_takesOtherWords() throws {
        let judge = Self.judge()
        let plain = try turn(judge, F.user(template: 7))
        #expect(plain.nudges.map(\.template) == [nil])
        #expect(judge.settle(plain, outcomes: [.accepted], attemptedAt: now, now: now).update.template == nil)
        // What was not sent takes nothing back.
        #expect(judge.settle(plain, outcomes: [.unsent(reason: "x")], attemptedAt: now, now: now).update.template == 7)
        let named = try turn(judge, F.user(template: 7, context: #"{"first_name": "Ann"}"#))
        #expect(named.nudges.map(\.template) == [8])
        #expect(named.nudges[0].payload.map { String(decoding: $0, as: UTF8.self) }?.contains("Ann") == true)
        #expect(judge.settle(named, outcomes: [.accepted], attemptedAt: now, now: now).update.template == 8)
    }

    @Test func rest_whenNothingIsSent_keepsTheTemplate() throws {
        let rest = Self.judge().judge(F.user(template: 7), now: F.at("2026-11-19T23:00:00Z")).rest
        #expect(try #require(rest).template == 7)
    }

    /// One of two devices was answered: the other gets the same words, and they are remembered once.
    @Test func devices_whenTheyAreLeft_getTheSameWords() throws {
        let judge = Self.judge()
        let user = F.user(devices: [F.device(1), F.device(2)])
        let first = try turn(judge, user)
        let settled = judge.settle(
            first,
            outcomes: [.accepted, .unsent(reason: "x")],
            attemptedAt: now,
            now: now
        )
        #expect(settled.update.template == 7)
        let left = user.settled(settled.update, ended: [])
        #expect(left.template == 7)
        let second = try #require(judge.judge(left, now: now + 5).turn)
        #expect(second.nudges.map(\.template) == [7] && second.pushCount == 1)
        let end = judge.settle(second, outcomes: [.accepted], attemptedAt: now + 5, now: now + 5)
        #expect(end.update.template == 7 && end.records.map(\.template) == [7])
    }

    @Test func messages_whenSent_haveNoTemplateAndLeaveTheLast() throws {
        let judge = Self.judge()
        let message = PendingMessage(id: F.userID, createdAt: now, title: "t", body: "b")
        let user = F.user(template: 7, preferences: #"{"timezone": "Asia/Tokyo"}"#, messages: [message])
        let turn = try turn(judge, user)
        #expect(turn.nudges.map(\.template) == [nil])
        let settled = judge.settle(turn, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.update.template == 7 && settled.records.map(\.template) == [nil])
    }

    @Test func recorder_whenACheckInGoesOut_hearsOfEachTemplate() throws {
        var judge = Self.judge()
        let recorder = DecisionRecorder()
        judge.recorder = recorder
        _ = try turn(judge, F.user())
        #expect(recorder.fates.map(\.template) == [7, 8])
        #expect(recorder.fates.map(\.fate) == [.chosen, .missing(["first_name"])])
    }
}
