import Fixtures
import APNs
import JSON
import NudgedKit
import Policy
@testable import Core
import Testing
import TimeZones

/// Reminders in a user's turn.
@Suite struct PlannerReminderTests {
    typealias F = ReminderFixture

    private let planner = PlannerFixture.planner()
    /// 15:00 in Tokyo, long after the day's check-in, which was had.
    private let now = PlannerFixture.at("2026-11-20T06:00:00Z")
    private let history = MessageFixture.history
    /// 00:30 in Tokyo.
    private let night = PlannerFixture.at("2026-11-20T15:30:00Z")

    private func user(
        _ reminders: [PendingReminder],
        wakesAt: Instant? = nil,
        messages: [PendingMessage] = [],
        retry: String? = nil,
        history: History? = nil,
        preferences: String? = PlannerFixture.daily,
        devices: [Device] = [PlannerFixture.device(1)],
        isPartial: Bool = false
    ) -> ClaimedUser {
        var values = PlannerFixture.user(
            history: history ?? self.history,
            preferences: preferences,
            devices: devices,
            messages: messages
        ).values
        values.retry = retry
        values.reminders = PendingReminders(reminders, wakesAt: wakesAt, isPartial: isPartial)
        return ClaimedUser(values)
    }

    private func continued(_ plan: Plan) -> [ReminderContinuation] {
        if case .nothing(let rest, _, _) = plan { return rest.continued }
        return []
    }

    private let unknown = PushOutcome.unknown(reason: "no_answer")

    // MARK: What goes out

    @Test func reminder_whenItsHourCame_goesWithItsTextAndSubject() throws {
        let sendPlan = try #require(planner.plan(user([F.reminder(.at(now))]), now: now).sendPlan)
        let nudge = try #require(sendPlan.nudges.first)
        #expect(sendPlan.nudges.count == 1 && nudge.identity == .reminder(F.id(1)) && nudge.identity.kind == .reminder)
        let payload = Payload(parsing: nudge.payload)
        #expect(payload.route { _ in true } == NudgedKit.Subject(type: "task", id: "7").map(Route.subject))
        #expect(payload.malformed == nil && payload.data.isEmpty)
        let json = try JSONValue(parsing: nudge.payload)
        #expect(json["aps"]?["alert"]?["body"] == .string("the \"plants\""))
        #expect(json["aps"]?["interruption-level"] == nil)
        #expect(nudge.expiresAt == now + 86_400 && nudge.endsAt == nil)
        let settled = planner.settle(sendPlan, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.ended == [F.id(1)] && settled.continued.isEmpty && settled.retry == nil)
        #expect(settled.records.map(\.kind) == ["reminder"] && settled.records.map(\.key) == [nudge.identity.key])
        #expect(settled.state.history.sent.count == 2)
    }

    @Test func reminder_whenItsHourIsToCome_waitsForIt() {
        #expect(planner.plan(user([F.reminder(.at(now + 600))]), now: now).rest?.dueAt == now + 600)
        // 20:00 in Tokyo.
        let wall = F.reminder(F.wall("2026-11-20T20:00:00"))
        #expect(planner.plan(user([wall]), now: now).rest?.dueAt == PlannerFixture.at("2026-11-20T11:00:00Z"))
        #expect(planner.plan(user([], wakesAt: now + 60), now: now).rest?.dueAt == now + 60)
    }

    /// Users who chose the hour get it in their quiet hours, for a quarter of an hour. Other recipients don't.
    @Test func reminder_whenTheNightIsOn_passesItForItsAuthorForAWhile() throws {
        let morning = PlannerFixture.at("2026-11-20T23:00:00Z")
        let own = F.reminder(.at(night))
        let sendPlan = try #require(planner.plan(user([own]), now: night).sendPlan)
        #expect(sendPlan.nudges.first?.validUntil == night + 900)
        #expect(planner.plan(user([own]), now: night + 899).sendPlan != nil)
        #expect(planner.plan(user([own]), now: night + 900).rest?.dueAt == morning)
        let others = F.reminder(.at(night), isOwn: false)
        #expect(planner.plan(user([others]), now: night).rest?.dueAt == morning)
        #expect(planner.plan(user([others]), now: morning).sendPlan != nil)
    }

    @Test func reminders_whenManyWakeTogether_areNoDigest() throws {
        let morning = PlannerFixture.at("2026-11-20T23:00:00Z")
        let reminders = (1...6).map { F.reminder(UInt8($0), .at(night), about: "\($0)", isOwn: false) }
        let sendPlan = try #require(planner.plan(user(reminders), now: morning).sendPlan)
        #expect(sendPlan.nudges.map(\.identity) == (1...6).map { .reminder(F.id($0)) })
        // Nor do they make one of three messages.
        let messages = (1...3).map { number in
            PendingMessage(id: F.id(UInt8(100 + number)), createdAt: night + Int64(number), title: "Hi", body: "")
        }
        let both = try #require(planner.plan(user(reminders, messages: messages), now: morning).sendPlan)
        #expect(both.nudges.count == 9)
    }

    @Test func reminder_whenItIsSetAnew_replacesItselfOnThePhone() throws {
        func key(_ reminder: PendingReminder) throws -> String {
            try #require(planner.plan(user([reminder]), now: now).sendPlan?.nudges.first?.collapseKey)
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
            devices: (0..<devices).map { _ in PlannerFixture.device(1) }
        )
        let plan = planner.plan(held, now: now)
        let record = try #require(plan.records.first { $0.kind == "reminder" })
        #expect(record.outcome == .dropped && record.reason == reason && record.deviceHash.isEmpty)
        #expect(plan.ended == [F.id(1)])
        #expect(continued(plan).map(\.instant) == [now + 86_400])
        #expect(try #require(plan.rest).dueAt <= now + 86_400)
    }

    /// What waits has not ended: nothing comes after it yet.
    @Test func series_whenItsReminderWaits_doesNotGoOn() {
        let first = F.wall("2026-11-21T00:30:00")
        let reminder = F.reminder(first, isOwn: false, series: F.series("FREQ=DAILY", first))
        let plan = planner.plan(user([reminder]), now: night)
        #expect(plan.ended.isEmpty && continued(plan).isEmpty)
        var paused = planner
        paused.paused = [.reminder]
        let held = paused.plan(user([F.reminder(.at(now))]), now: now)
        #expect(held.ended.isEmpty && held.records.isEmpty && held.rest != nil)
        paused.paused = [.message]
        #expect(paused.plan(user([F.reminder(.at(now))]), now: now).sendPlan != nil)
    }

    @Test func series_whenItsReminderWasSent_goesOnAndTheUserIsDueThen() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let sendPlan = try #require(planner.plan(user([reminder]), now: now).sendPlan)
        let settled = planner.settle(sendPlan, outcomes: [.accepted], attemptedAt: now, now: now)
        let next = try #require(settled.continued.first)
        #expect(next.id == F.id(1) && next.instant == now + 86_400 && settled.continued.count == 1)
        #expect(settled.dueAt <= now + 86_400)
        // An outcome that leaves something to do ends nothing.
        let left = planner.settle(sendPlan, outcomes: [unknown], attemptedAt: now, now: now)
        #expect(left.ended.isEmpty && left.continued.isEmpty && left.dueAt == now + 1)
        let unsent = planner.settle(sendPlan, outcomes: [.unsent(reason: "x")], attemptedAt: now, now: now)
        #expect(unsent.ended.isEmpty && unsent.continued.isEmpty && unsent.retry == nil)
    }

    /// A device that is left for long must not keep the others from the next one.
    @Test func series_whenADeviceIsLeftAtTheNextOne_goesOn() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        func user(_ settled: Change? = nil) -> ClaimedUser {
            self.user(
                [reminder],
                retry: settled?.retry,
                history: settled?.state.history,
                preferences: #"{"timezone":"Asia/Tokyo"}"#,
                devices: [PlannerFixture.device(1), PlannerFixture.device(2)]
            )
        }
        let sendPlan = try #require(planner.plan(user(), now: now).sendPlan)
        let delayed = PushOutcome.delayed(reason: "ServiceUnavailable", status: 503, retryAfter: 172_800)
        let settled = planner.settle(sendPlan, outcomes: [.accepted, delayed], attemptedAt: now, now: now)
        let before = planner.plan(user(settled), now: now + 86_399)
        #expect(before.ended.isEmpty && before.rest?.retry != nil && before.rest?.dueAt == now + 86_400)
        let plan = planner.plan(user(settled), now: now + 86_400)
        #expect(plan.ended == [F.id(1)] && continued(plan).map(\.instant) == [now + 86_400])
        #expect(plan.records.map(\.reason) == ["collapsed"] && plan.records.map(\.outcome) == [.skipped])
    }

    /// SQL knows the zone, and this host does not: it waits, and the journal says so. It is not sent at the same wall
    /// time of the user's own zone.
    @Test func reminder_whenItsZoneIsUnknownHere_waitsAndIsNoted() throws {
        let plan = planner.plan(user([F.reminder(F.wall("2026-11-20T10:00:00"), timezone: "Asia/New")]), now: now)
        #expect(plan.sendPlan == nil)
        #expect(
            plan.notices.contains {
                if case .reminderZoneUnknown = $0 { true } else { false }
            }
        )
        let known = planner.plan(user([F.reminder(F.wall("2026-11-20T10:00:00"), timezone: "Asia/Seoul")]), now: now)
        #expect(known.sendPlan != nil && known.notices.isEmpty)
    }

    /// Bytes make a subject, as in SQL.
    @Test func reminder_whenAnothersSubjectHasOtherBytes_isSent() throws {
        let both = [
            F.reminder(1, .at(now), about: "caf\u{E9}"), F.reminder(2, .at(now), about: "cafe\u{301}"),
        ]
        let sendPlan = try #require(planner.plan(user(both), now: now).sendPlan)
        #expect(sendPlan.nudges.count == 2 && sendPlan.records.isEmpty)
    }

    /// Of several hours of one that came, the last says all. One that is still to come replaces none.
    @Test func reminder_whenANewerHourCame_isCollapsed() throws {
        let both = [F.reminder(1, .at(now - 86_400), isOwn: false), F.reminder(2, .at(now), isOwn: false)]
        let sendPlan = try #require(planner.plan(user(both), now: now).sendPlan)
        #expect(sendPlan.nudges.map(\.identity) == [.reminder(F.id(2))] && sendPlan.ended == [.reminder(F.id(1))])
        #expect(sendPlan.records.map(\.reason) == ["collapsed"] && sendPlan.records.map(\.kind) == ["reminder"])
        let ahead = [F.reminder(1, .at(now)), F.reminder(2, .at(now + 600))]
        let early = try #require(planner.plan(user(ahead), now: now).sendPlan)
        #expect(early.nudges.map(\.identity) == [.reminder(F.id(1))] && early.ended.isEmpty)
        let others = [F.reminder(1, .at(now - 60)), F.reminder(2, .at(now), about: "8")]
        #expect(try #require(planner.plan(user(others), now: now).sendPlan).nudges.count == 2)
    }

    @Test func reminder_whenItDoesNotLive_endsWithWhatWasTried() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let dead = F.reminder(first, series: F.series("FREQ=DAILY", first), isCancelled: true)
        let plan = planner.plan(user([dead]), now: now)
        #expect(plan.ended == [F.id(1)] && continued(plan).isEmpty)
        #expect(plan.records.map(\.outcome) == [.dropped] && plan.records.map(\.reason) == ["cancelled"])
        // Tried already: it counts, and is not tried again.
        let sendPlan = try #require(planner.plan(user([F.reminder(.at(now))]), now: now).sendPlan)
        let tried = planner.settle(sendPlan, outcomes: [unknown], attemptedAt: now, now: now)
        let after = planner.plan(user([dead], retry: tried.retry, history: tried.state.history), now: now + 5)
        #expect(after.sendPlan == nil && after.ended == [F.id(1)] && after.rest?.retry == nil)
        #expect(after.records.map(\.outcome) == [.skipped] && after.records.map(\.reason) == ["cancelled"])
    }

    @Test func reminder_whenABackupWasRestored_isDroppedIfItWasBefore() throws {
        let first = F.wall("2026-11-20T14:00:00")
        let before = F.reminder(first, series: F.series("FREQ=DAILY", first), restoredAt: now - 60)
        let plan = planner.plan(user([before]), now: now)
        #expect(plan.records.map(\.reason) == ["restored"] && plan.ended.count == 1)
        #expect(continued(plan).map(\.instant) == [PlannerFixture.at("2026-11-21T05:00:00Z")])
        // A wall time that could have been due elsewhere.
        let later = F.reminder(F.wall("2026-11-20T15:00:00"), restoredAt: now - 60)
        #expect(planner.plan(user([later]), now: now).sendPlan != nil)
    }

    @Test func reminder_besideMessages_isBeforeAllButUrgentOnes() throws {
        func message(_ number: UInt8, _ createdAt: Instant, urgent: Bool = false) -> PendingMessage {
            PendingMessage(id: F.id(number), createdAt: createdAt, title: "\(number)", body: "", urgent: urgent)
        }
        let messages = [message(20, now - 90), message(21, now - 30, urgent: true)]
        let plan = planner.plan(user([F.reminder(.at(now - 60))], messages: messages), now: now)
        #expect(
            try #require(plan.sendPlan).nudges.map(\.identity)
                == [.message(F.id(21)), .reminder(F.id(1)), .message(F.id(20))]
        )
    }

    // MARK: What is held

    @Test func reminder_whenNobodyKnowsAZone_waitsForOne() throws {
        let wall = F.reminder(F.wall("2026-11-20T09:00:00"))
        let held = planner.plan(user([wall], preferences: "{}"), now: now)
        #expect(held.ended.isEmpty && held.records.isEmpty && held.rest.map { $0.dueAt > now + 3600 } == true)
        let recorder = DecisionRecorder()
        var recording = planner
        recording.recorder = recorder
        _ = recording.plan(user([wall], preferences: "{}"), now: now)
        let entry = try #require(recorder.entries.first { $0.kind == .reminder })
        #expect(entry.decision == Decision(.hold, .timezoneUnresolved) && entry.members == [entry.key])
    }

    @Test func reminders_whenThereAreMoreThanWereRead_areLookedAtAgain() {
        let plan = planner.plan(user([F.reminder(.at(now + 600))], isPartial: true), now: now)
        #expect(plan.rest?.dueAt == now + 60)
    }

    // MARK: Unknown, and dead daemons

    /// Promise 2: repeated once, with the same ids; a second unknown is final, and then the series goes on.
    @Test func reminder_whenItsOutcomeIsUnknown_isRepeatedOnce() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let once = try #require(planner.plan(user([reminder]), now: now).sendPlan)
        let settled = planner.settle(once, outcomes: [unknown], attemptedAt: now, now: now + 10)
        let again = user([reminder], retry: settled.retry, history: settled.state.history)
        let second = try #require(planner.plan(again, now: now + 11).sendPlan)
        #expect(second.targets.map(\.apnsID) == once.targets.map(\.apnsID))
        #expect(second.nudges.map(\.collapseKey) == once.nudges.map(\.collapseKey))
        let final = planner.settle(second, outcomes: [unknown], attemptedAt: now + 11, now: now + 20)
        #expect(final.ended == [F.id(1)] && final.retry == nil && final.continued.count == 1)
        #expect(final.state.history.sent.count == 2, "it counts once")
    }

    /// A second unknown is final, also if the daemon dies with the repeat. The series goes on.
    @Test func reminder_whenTheDaemonDiesWithItsRepeat_endsAndGoesOn() throws {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let once = try #require(planner.plan(user([reminder]), now: now).sendPlan)
        let died = PlannerFixture.recovered(once, by: planner, now: now)
        #expect(died.ended.isEmpty && died.continued.isEmpty)
        let again = user([reminder], retry: died.retry, history: died.state.history)
        let second = try #require(planner.plan(again, now: now + 60).sendPlan)
        #expect(second.targets.map(\.apnsID) == once.targets.map(\.apnsID) && second.targets.allSatisfy { $0.isRepeat })
        let last = PlannerFixture.recovered(second, by: planner, now: now + 60)
        #expect(last.ended == [F.id(1)] && last.retry == nil)
        let settled = planner.settle(second, outcomes: [unknown], attemptedAt: now + 60, now: now + 60)
        #expect(last.continued == settled.continued && last.continued.count == 1)
    }
}
