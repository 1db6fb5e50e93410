import Fixtures
import APNs
import JSON
import NudgedKit
import Policy
import Store
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Planning

/// Reminders in a user's turn.
@Suite struct JudgeReminderTests {
    typealias F = ReminderFixture

    private let judge = JudgeFixture.judge()
    /// 15:00 in Tokyo, long after the day's check-in, which was had.
    private let now = JudgeFixture.at("2026-11-20T06:00:00Z")
    private let history = History(
        checkIns: [CheckIn(at: JudgeFixture.at("2026-11-20T01:00:00Z"), slot: JudgeFixture.date("2026-11-20"))],
        sent: [JudgeFixture.at("2026-11-20T01:00:00Z")]
    )
    /// 00:30 in Tokyo.
    private let night = JudgeFixture.at("2026-11-20T15:30:00Z")

    private func user(
        _ reminders: [PendingReminder],
        wakesAt: Instant? = nil,
        messages: [PendingMessage] = [],
        retry: String? = nil,
        history: History? = nil,
        preferences: String? = JudgeFixture.daily,
        version: Int64 = 1,
        devices: [Device] = [JudgeFixture.device(1)],
        isPartial: Bool = false
    ) -> ClaimedUser {
        ClaimedUser(
            userID: JudgeFixture.userID,
            version: version,
            dueAt: 0,
            touchedAt: nil,
            since: nil,
            fingerprint: nil,
            askedAt: nil,
            history: history ?? self.history,
            retry: retry,
            preferences: preferences,
            timezone: nil,
            firstSessionComplete: true,
            devices: devices,
            messages: messages,
            reminders: PendingReminders(reminders, wakesAt: wakesAt, isPartial: isPartial)
        )
    }

    private func continued(_ judgement: Judgement) -> [ReminderContinuation] {
        if case .rest(let rest) = judgement.verdict { return rest.continued }
        return []
    }

    private let unknown = PushOutcome.unknown(reason: "no_answer")

    // MARK: What goes out

    @Test func reminder_whenItsHourCame_goesWithItsWordsAndSubject() throws {
        let turn = try #require(judge.judge(user([F.reminder(.at(now))]), now: now).turn)
        let nudge = try #require(turn.nudges.first)
        #expect(turn.nudges.count == 1 && nudge.identity == .reminder(F.id(1)) && nudge.identity.kind == .reminder)
        let payload = Payload(parsing: nudge.payload ?? [])
        #expect(payload.route { _ in true } == NudgedKit.Subject(type: "task", id: "7").map(Route.subject))
        #expect(payload.malformed == nil && payload.data.isEmpty)
        let json = try JSONValue(parsing: nudge.payload ?? [])
        #expect(json["aps"]?["alert"]?["body"] == .string("the \"plants\""))
        #expect(json["aps"]?["interruption-level"] == nil)
        #expect(nudge.expiresAt == now + 86_400 && nudge.endsAt == nil)
        let settled = judge.settle(turn, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.ended == [.reminder(F.id(1))] && settled.continued.isEmpty && settled.update.retry == nil)
        #expect(settled.records.map(\.kind) == ["reminder"] && settled.records.map(\.key) == [nudge.identity.key])
        #expect(settled.update.history.sent.count == 2)
    }

    @Test func reminder_whenItsHourIsToCome_waitsForIt() {
        #expect(judge.judge(user([F.reminder(.at(now + 600))]), now: now).rest?.dueAt == now + 600)
        // 20:00 in Tokyo.
        let wall = F.reminder(F.wall("2026-11-20T20:00:00"))
        #expect(judge.judge(user([wall]), now: now).rest?.dueAt == JudgeFixture.at("2026-11-20T11:00:00Z"))
        #expect(judge.judge(user([], wakesAt: now + 60), now: now).rest?.dueAt == now + 60)
    }

    /// They chose the hour: for a quarter of an hour it passes the night. Whoever did not, sleeps.
    @Test func reminder_whenTheNightIsOn_passesItForItsAuthorForAWhile() throws {
        let morning = JudgeFixture.at("2026-11-20T23:00:00Z")
        let own = F.reminder(.at(night))
        let turn = try #require(judge.judge(user([own]), now: night).turn)
        #expect(turn.nudges.first?.validUntil == night + 900)
        #expect(judge.judge(user([own]), now: night + 899).turn != nil)
        #expect(judge.judge(user([own]), now: night + 900).rest?.dueAt == morning)
        let others = F.reminder(.at(night), isOwn: false)
        #expect(judge.judge(user([others]), now: night).rest?.dueAt == morning)
        #expect(judge.judge(user([others]), now: morning).turn != nil)
    }

    @Test func reminders_whenManyWakeTogether_areNoDigest() throws {
        let morning = JudgeFixture.at("2026-11-20T23:00:00Z")
        let reminders = (1...6).map { F.reminder(UInt8($0), .at(night), about: "\($0)", isOwn: false) }
        let turn = try #require(judge.judge(user(reminders), now: morning).turn)
        #expect(turn.nudges.map(\.identity) == (1...6).map { .reminder(F.id($0)) })
        // Nor do they make one of three messages.
        let messages = (1...3).map { number in
            PendingMessage(id: F.id(UInt8(100 + number)), createdAt: night + Int64(number), title: "Hi", body: "")
        }
        let both = try #require(judge.judge(user(reminders, messages: messages), now: morning).turn)
        #expect(both.nudges.count == 9)
    }

    @Test func reminder_whenItIsSetAnew_replacesItselfOnThePhone() throws {
        func key(_ reminder: PendingReminder) throws -> String {
            try #require(judge.judge(user([reminder]), now: now).turn?.nudges.first?.collapseKey)
        }
        let first = try key(F.reminder(1, .at(now), of: F.id(201)))
        #expect(try key(F.reminder(2, .at(now - 60), of: F.id(202))) == first)
        #expect(try key(F.reminder(3, .at(now), about: "8")) != first)
        // A part of the type is none of the id.
        let (left, right) = (F.reminder(1, .at(now), about: "7"), F.reminder(1, .at(now), about: "\u{1}7"))
        #expect(try key(left) != key(right))
    }

    // MARK: What ends

    @Test(arguments: [
        ("disabled", #"{"messages_enabled":false,"timezone":"Asia/Tokyo"}"#, 1), ("no_device", nil, 0),
    ]) func reminder_whenItMustNotGo_isDroppedAndItsSeriesGoesOn(reason: String, preferences: String?, devices: Int)
        throws
    {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, timezone: "Asia/Tokyo", series: F.series("FREQ=DAILY", first))
        let held = user(
            [reminder],
            preferences: preferences,
            devices: (0..<devices).map { _ in JudgeFixture.device(1) }
        )
        let judgement = judge.judge(held, now: now)
        let record = try #require(judgement.records.first { $0.kind == "reminder" })
        #expect(record.outcome == .dropped && record.reason == reason && record.deviceHash.isEmpty)
        #expect(judgement.ended == [.reminder(F.id(1))])
        #expect(continued(judgement).map(\.instant) == [now + 86_400])
        #expect(try #require(judgement.rest).dueAt <= now + 86_400)
    }

    /// What waits has not ended: nothing comes after it yet.
    @Test func series_whenItsReminderWaits_doesNotGoOn() {
        let first = F.wall("2026-11-21T00:30:00")
        let reminder = F.reminder(first, isOwn: false, series: F.series("FREQ=DAILY", first))
        let judgement = judge.judge(user([reminder]), now: night)
        #expect(judgement.ended.isEmpty && continued(judgement).isEmpty)
        var paused = judge
        paused.paused = [.reminder]
        let held = paused.judge(user([F.reminder(.at(now))]), now: now)
        #expect(held.ended.isEmpty && held.records.isEmpty && held.rest != nil)
        paused.paused = [.message]
        #expect(paused.judge(user([F.reminder(.at(now))]), now: now).turn != nil)
    }

    @Test func series_whenItsReminderWasSent_goesOnAndTheUserIsDueThen() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let turn = try #require(judge.judge(user([reminder]), now: now).turn)
        let settled = judge.settle(turn, outcomes: [.accepted], attemptedAt: now, now: now)
        let next = try #require(settled.continued.first)
        #expect(next.id == F.id(1) && next.instant == now + 86_400 && settled.continued.count == 1)
        #expect(settled.update.dueAt <= now + 86_400)
        // An outcome that leaves something to do ends nothing.
        let left = judge.settle(turn, outcomes: [unknown], attemptedAt: now, now: now)
        #expect(left.ended.isEmpty && left.continued.isEmpty && left.update.dueAt == now + 1)
        let unsent = judge.settle(turn, outcomes: [.unsent(reason: "x")], attemptedAt: now, now: now)
        #expect(unsent.ended.isEmpty && unsent.continued.isEmpty && unsent.update.retry == nil)
    }

    /// Of several hours of one that came, the last says all. One that is still to come replaces none.
    @Test func reminder_whenANewerHourCame_isCollapsed() throws {
        let both = [F.reminder(1, .at(now - 86_400), isOwn: false), F.reminder(2, .at(now), isOwn: false)]
        let turn = try #require(judge.judge(user(both), now: now).turn)
        #expect(turn.nudges.map(\.identity) == [.reminder(F.id(2))] && turn.ended == [.reminder(F.id(1))])
        #expect(turn.records.map(\.reason) == ["collapsed"] && turn.records.map(\.kind) == ["reminder"])
        let ahead = [F.reminder(1, .at(now)), F.reminder(2, .at(now + 600))]
        let early = try #require(judge.judge(user(ahead), now: now).turn)
        #expect(early.nudges.map(\.identity) == [.reminder(F.id(1))] && early.ended.isEmpty)
        let others = [F.reminder(1, .at(now - 60)), F.reminder(2, .at(now), about: "8")]
        #expect(try #require(judge.judge(user(others), now: now).turn).nudges.count == 2)
    }

    @Test func reminder_whenItDoesNotLive_endsWithWhatWasTried() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let dead = F.reminder(first, series: F.series("FREQ=DAILY", first), isCancelled: true)
        let judgement = judge.judge(user([dead]), now: now)
        #expect(judgement.ended == [.reminder(F.id(1))] && continued(judgement).isEmpty)
        #expect(judgement.records.map(\.outcome) == [.dropped] && judgement.records.map(\.reason) == ["cancelled"])
        // Tried already: it counts, and is not tried again.
        let turn = try #require(judge.judge(user([F.reminder(.at(now))]), now: now).turn)
        let tried = judge.settle(turn, outcomes: [unknown], attemptedAt: now, now: now).update
        let after = judge.judge(user([dead], retry: tried.retry, history: tried.history), now: now + 5)
        #expect(after.turn == nil && after.ended == [.reminder(F.id(1))] && after.rest?.retry == nil)
        #expect(after.records.map(\.outcome) == [.skipped] && after.records.map(\.reason) == ["cancelled"])
    }

    @Test func reminder_whenABackupWasRestored_isDroppedIfItWasBefore() throws {
        let first = F.wall("2026-11-20T14:00:00")
        let before = F.reminder(first, series: F.series("FREQ=DAILY", first), restoredAt: now - 60)
        let judgement = judge.judge(user([before]), now: now)
        #expect(judgement.records.map(\.reason) == ["restored"] && judgement.ended.count == 1)
        #expect(continued(judgement).map(\.instant) == [JudgeFixture.at("2026-11-21T05:00:00Z")])
        // A wall time that could have been due elsewhere.
        let later = F.reminder(F.wall("2026-11-20T15:00:00"), restoredAt: now - 60)
        #expect(judge.judge(user([later]), now: now).turn != nil)
    }

    // MARK: What is held

    @Test func reminder_whenNobodyKnowsAZone_waitsForOne() throws {
        let wall = F.reminder(F.wall("2026-11-20T09:00:00"))
        let held = judge.judge(user([wall], preferences: "{}"), now: now)
        #expect(held.ended.isEmpty && held.records.isEmpty && held.rest.map { $0.dueAt > now + 3600 } == true)
        let recorder = DecisionRecorder()
        var asked = judge
        asked.recorder = recorder
        _ = asked.judge(user([wall], preferences: "{}"), now: now)
        let entry = try #require(recorder.entries.first { $0.kind == .reminder })
        #expect(entry.decision == Decision(.hold, .timezoneUnresolved) && entry.members == [entry.key])
    }

    @Test func reminders_whenThereAreMoreThanWereRead_areLookedAtAgain() {
        let judgement = judge.judge(user([F.reminder(.at(now + 600))], isPartial: true), now: now)
        #expect(judgement.rest?.dueAt == now + 60)
    }

    // MARK: Unknown, and dead daemons

    /// Promise 2: repeated once, with the same ids; a second unknown is final, and then the series goes on.
    @Test func reminder_whenItsOutcomeIsUnknown_isRepeatedOnce() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let once = try #require(judge.judge(user([reminder]), now: now).turn)
        let settled = judge.settle(once, outcomes: [unknown], attemptedAt: now, now: now + 10)
        let again = user([reminder], retry: settled.update.retry, history: settled.update.history)
        let second = try #require(judge.judge(again, now: now + 11).turn)
        #expect(second.targets.map(\.apnsID) == once.targets.map(\.apnsID))
        #expect(second.nudges.map(\.collapseKey) == once.nudges.map(\.collapseKey))
        let final = judge.settle(second, outcomes: [unknown], attemptedAt: now + 11, now: now + 20)
        #expect(final.ended == [.reminder(F.id(1))] && final.update.retry == nil && final.continued.count == 1)
        #expect(final.update.history.sent.count == 2, "it counts once")
    }

    /// No SQL knows what comes after it: so a crash ends no reminder, and whoever is next does.
    @Test func reminder_whenTheDaemonDiesWithItsRepeat_endsWithTheNextJudgement() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let once = try #require(judge.judge(user([reminder]), now: now).turn)
        #expect(judge.entry(once, attemptedAt: now).devices.allSatisfy { !$0.ends })
        let died = JudgeFixture.recovered(once, by: judge, now: now)
        let second = try #require(
            judge.judge(user([reminder], retry: died.retry, history: died.history), now: now + 60).turn
        )
        #expect(second.targets.map(\.apnsID) == once.targets.map(\.apnsID) && second.targets.allSatisfy { $0.isRepeat })
        let entry = judge.entry(second, attemptedAt: now + 60)
        #expect(entry.devices.allSatisfy { !$0.ends } && entry.retry != nil)
        let again = JudgeFixture.recovered(second, by: judge, now: now + 60)
        let last = judge.judge(user([reminder], retry: again.retry, history: again.history), now: now + 120)
        #expect(last.turn == nil && last.ended == [.reminder(F.id(1))] && last.rest?.retry == nil)
        #expect(continued(last).count == 1 && last.records.isEmpty)
        // A message's end is told to SQL as before.
        let message = PendingMessage(id: F.id(9), createdAt: now, title: "Hi", body: "")
        let turn = try #require(judge.judge(user([], messages: [message]), now: now).turn)
        #expect(judge.entry(turn, attemptedAt: now).devices.allSatisfy { !$0.ends })
        let repeated = JudgeFixture.recovered(turn, by: judge, now: now)
        let final = try #require(
            judge.judge(user([], messages: [message], retry: repeated.retry, history: repeated.history), now: now + 60)
                .turn
        )
        #expect(judge.entry(final, attemptedAt: now + 60).devices.allSatisfy { $0.ends })
    }
}
