import Fixtures
import APNs
import JSON
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

/// Messages of a user's turn: what goes out, what ends, what is left for the next.
@Suite struct PlannerMessageTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    // MARK: What goes out

    @Test func message_whenNothingHoldsIt_goesWithItsText() throws {
        let sendPlan = try #require(
            planner.plan(
                M.user([
                    M.message(
                        1,
                        "Ann",
                        body: "How \"are\" you?",
                        data: #"{"n": 12345678901234567890, "x": [1, 2]}"#,
                        conversationID: "00000000-0000-0000-0000-0000000000AB"
                    )
                ]),
                now: now
            ).sendPlan
        )
        #expect(sendPlan.nudges.map(\.identity) == [.message(M.id(1))])
        let payload = try M.payload(sendPlan.nudges.first)
        #expect(M.text(payload["aps"]?["alert"]?["title"]) == "Ann")
        #expect(M.text(payload["aps"]?["alert"]?["body"]) == "How \"are\" you?")
        #expect(M.text(payload["action"]) == "open_conversation")
        #expect(M.text(payload["conversation_id"]) == "00000000-0000-0000-0000-0000000000ab")
        #expect(payload["aps"]?["interruption-level"] == nil)
        // No digit of a number is lost on the way.
        #expect(String(decoding: sendPlan.nudges[0].payload, as: UTF8.self).contains("12345678901234567890"))
        #expect(sendPlan.nudges[0].expiresAt == now + 86_400)
        #expect(sendPlan.nudges[0].validUntil == F.at("2026-11-20T13:00:00Z"), "quiet hours begin")
    }

    @Test func turn_whenACheckInAndMessagesAreDue_countsEachBeforeTheNext() throws {
        let inSlot = F.at("2026-11-20T01:30:00Z")
        let messages = [M.message(1, created: inSlot), M.message(2, created: inSlot + -5)]
        let all = try #require(planner.plan(M.user(messages, history: History()), now: inSlot).sendPlan)
        #expect(all.nudges.map(\.identity) == [.message(M.id(2)), .message(M.id(1)), .checkIn(F.date("2026-11-20"))])
        // Two an hour: the check-in waits, and the row says until when.
        let two = try #require(
            planner.plan(M.user(messages, history: History(), preferences: M.capped), now: inSlot).sendPlan
        )
        #expect(two.nudges.map(\.identity) == [.message(M.id(2)), .message(M.id(1))])
        let settled = planner.settle(two, outcomes: [.accepted, .accepted], attemptedAt: inSlot, now: inSlot)
        #expect(settled.state.history.sent == [inSlot, inSlot] && settled.state.history.checkIns.isEmpty)
        #expect(settled.ended == [M.id(2), M.id(1)])
        #expect(settled.dueAt == inSlot + 3600)
        #expect(settled.records.map(\.kind) == ["message", "message"])
        #expect(settled.records.allSatisfy { $0.slot == nil && $0.outcome == .accepted })
    }

    @Test func message_whenAnEarlierOneTookTheCap_isDueWhenThatOneFails() throws {
        let one = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","max_per_hour":1}"#
        let sendPlan = try #require(
            planner.plan(M.user([M.message(1), M.message(2)], history: History(sent: []), preferences: one), now: now)
                .sendPlan
        )
        #expect(sendPlan.nudges.map(\.identity) == [.message(M.id(1))] && sendPlan.othersDue == now + 3600)
        let accepted = planner.settle(sendPlan, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(accepted.dueAt == now + 3600)
        let refused = PushOutcome.rejected(status: 400, reason: "BadExpirationDate", deletes: nil)
        let rejected = planner.settle(sendPlan, outcomes: [refused], attemptedAt: now, now: now)
        #expect(rejected.dueAt == now + 1 && rejected.ended == [M.id(1)])
    }

    @Test func message_whenUrgentInTheNight_goesThroughFocus() throws {
        let night = F.at("2026-11-20T15:00:00Z")
        let sendPlan = try #require(
            planner.plan(M.user([M.message(1), M.message(2, urgent: true, collapseKey: "k")]), now: night).sendPlan
        )
        #expect(sendPlan.nudges.map(\.identity) == [.message(M.id(2))])
        #expect(M.text(try M.payload(sendPlan.nudges[0])["aps"]?["interruption-level"]) == "time-sensitive")
        #expect(sendPlan.othersDue == F.at("2026-11-20T23:00:00Z"), "08:00 in Tokyo")
        let silent = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","allow_urgent":false}"#
        let rest = planner.plan(M.user([M.message(2, urgent: true)], preferences: silent), now: night)
        #expect(rest.rest?.dueAt == F.at("2026-11-20T23:00:00Z"))
    }

    /// More than 4,096 bytes with the level that a keyword adds: the text is sent without the level.
    @Test func message_whenOnlyTheLevelIsTooMuch_goesWithoutIt() throws {
        let keyword =
            #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","priority_keywords":["help"]}"#
        let sendPlan = try #require(
            planner.plan(
                M.user([M.message(1, "help", body: String(repeating: "x", count: 3950))], preferences: keyword),
                now: now
            ).sendPlan
        )
        let bytes = sendPlan.nudges[0].payload
        #expect(bytes.count <= 4096 && !String(decoding: bytes, as: UTF8.self).contains("interruption-level"))
    }

    // MARK: What ends

    @Test(arguments: [
        ("expired", #"{"timezone":"Asia/Tokyo"}"#, -1), ("disabled", #"{"messages_enabled":false}"#, 60),
    ]) func message_whenItMustNotGo_isDroppedAndRecorded(reason: String, preferences: String, expires: Int64) throws {
        let plan = planner.plan(
            M.user([M.message(1, expiresAt: now + expires)], preferences: preferences),
            now: now
        )
        #expect(plan.ended == [M.id(1)])
        let record = try #require(plan.records.first { $0.kind == "message" })
        #expect(
            record.outcome == .dropped && record.reason == reason && record.key == NudgeIdentity.message(M.id(1)).key
        )
        #expect(record.deviceHash.isEmpty && record.attemptedAt == now)
    }

    @Test func message_whenThereIsNoDevice_isDropped_butNotForAForeignLane() {
        #expect(planner.plan(M.user([M.message(1)], devices: []), now: now).records.map(\.reason) == ["no_device"])
        let foreign = Device(
            token: F.token(1),
            registeredAt: F.at("2026-01-01T00:00:00Z"),
            environment: "production",
            topic: nil
        )
        let sent = M.message(1).createdAt
        func plan(_ message: PendingMessage, after seconds: Int64) -> Plan {
            planner.plan(M.user([message], devices: [foreign]), now: sent + seconds)
        }
        let message = M.message(1, expiresAt: sent + 700_000)
        let held = plan(message, after: 699_999)
        #expect(held.ended.isEmpty && held.rest != nil)
        // One that never expires waits for seven days.
        #expect(plan(M.message(1), after: 604_799).ended.isEmpty)
        for end in [plan(message, after: 700_000), plan(M.message(1), after: 604_800)] {
            #expect(end.records.map(\.reason) == ["device_not_served"] && end.ended == [M.id(1)])
        }
    }

    @Test func message_whenItsDataIsSpoilt_isDroppedAlone() {
        let plan = planner.plan(M.user([M.message(1, data: #"{"aps": 1}"#), M.message(2)]), now: now)
        #expect(plan.sendPlan?.nudges.map(\.identity) == [.message(M.id(2))])
        #expect(plan.records.map(\.reason) == ["payload_malformed"] && plan.ended == [M.id(1)])
    }

    @Test func message_whenANewerHasItsCollapseKey_ends() throws {
        let plan = planner.plan(
            M.user([
                M.message(1, collapseKey: "k"), M.message(3, collapseKey: "k"), M.message(2, collapseKey: "k"),
                M.message(4),
            ]
            ),
            now: now
        )
        let sendPlan = try #require(plan.sendPlan)
        #expect(sendPlan.nudges.map(\.identity) == [.message(M.id(3)), .message(M.id(4))])
        #expect(Set(sendPlan.ended) == [.message(M.id(1)), .message(M.id(2))])
        #expect(
            sendPlan.records.map(\.reason) == ["collapsed", "collapsed"]
                && sendPlan.records.allSatisfy { $0.outcome == .dropped }
        )
        #expect(
            sendPlan.nudges[0].collapseKey == "key:k"
                && sendPlan.nudges[1].collapseKey == NudgeIdentity.message(M.id(4)).key
        )
    }

    /// As in SQL: bytes decide, not canonical equivalence.
    @Test func message_whenAnothersKeyHasOtherBytes_isSent() throws {
        for (one, other) in [("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), ("a\u{323}\u{307}", "a\u{307}\u{323}")] {
            let user = M.user([M.message(1, collapseKey: one), M.message(2, collapseKey: other)])
            let sendPlan = try #require(planner.plan(user, now: now).sendPlan)
            #expect(sendPlan.nudges.count == 2 && sendPlan.records.isEmpty, "\(one)")
        }
    }

    // MARK: More than was read

    @Test func user_whenMoreWaitsThanWasRead_isEvaluatedAgain() throws {
        let night = F.at("2026-11-20T15:00:00Z")
        let asleep = try #require(planner.plan(M.user([M.message(1)], hasMore: true), now: night).rest)
        #expect(asleep.dueAt == night + 60, "not each second")
        let ended = try #require(planner.plan(M.user([M.message(1, expiresAt: now)], hasMore: true), now: now).rest)
        #expect(ended.dueAt == now + 1)
        let sendPlan = try #require(planner.plan(M.user([M.message(1)], hasMore: true), now: now).sendPlan)
        #expect(planner.settle(sendPlan, outcomes: [.accepted], attemptedAt: now, now: now).dueAt == now + 1)
    }

    @Test func turn_whenFewerStreamsAreFree_keepsTheRestForNext() throws {
        let sendPlan = try #require(
            planner.plan(M.user([M.message(1), M.message(2)], devices: [F.device(1), F.device(2)]), now: now).sendPlan
        )
        var pending = [sendPlan][...]
        let part = try #require(SendPlan.take(upTo: 3, from: &pending).first)
        #expect(part.nudges.map(\.identity) == [.message(M.id(1))] && part.pushCount == 2 && part.isPartial)
        let settled = planner.settle(part, outcomes: [.accepted, .accepted], attemptedAt: now, now: now)
        #expect(settled.ended == [M.id(1)] && settled.dueAt == now + 1)
        pending = [sendPlan]
        let one = try #require(SendPlan.take(upTo: 1, from: &pending).first)
        #expect(one.nudges.map(\.targets.count) == [1] && one.waiting.count == 1)
    }

    /// An answer that ended while it waited for a stream is asked again; the others go.
    @Test func turn_whenOneAnswerEnded_sendsTheOthers() throws {
        let sendPlan = try #require(
            planner.plan(M.user([M.message(1, expiresAt: now + 5), M.message(2)]), now: now).sendPlan
        )
        let rest = sendPlan.sendable(at: now + 5, paused: [])
        #expect(rest.nudges.map(\.identity) == [.message(M.id(2))] && rest.isPartial)
        #expect(sendPlan.sendable(at: now + 4, paused: []).nudges.count == 2)
    }

    /// The tick takes both: the microsecond decides, not the ids.
    @Test func messages_whenSaidInOneSecond_keepTheirOrder() throws {
        func said(_ number: UInt8, _ microseconds: Int64, key: String? = nil) -> PendingMessage {
            PendingMessage(
                id: M.id(number),
                createdAt: now,
                createdAtMicroseconds: now.seconds * 1_000_000 + microseconds,
                title: "\(number)",
                body: "",
                collapseKey: key
            )
        }
        let collapsed = try #require(
            planner.plan(M.user([said(9, 1, key: "k"), said(1, 2, key: "k")]), now: now).sendPlan
        )
        #expect(collapsed.nudges.map(\.identity) == [.message(M.id(1))] && collapsed.ended == [.message(M.id(9))])
        let both = try #require(planner.plan(M.user([said(1, 2), said(9, 1)]), now: now).sendPlan)
        #expect(both.nudges.map(\.identity) == [.message(M.id(9)), .message(M.id(1))])
    }

    /// The keywords are read once for all messages, so that one user can't hold up a sweep.
    @Test func messages_whenTheUserHasThousandsOfKeywords_arePlannedSoon() {
        let keywords = (0..<7_000).map { "\"k\($0)\"" }.joined(separator: ",")
        let preferences = #"\#(F.daily.dropLast()),"priority_keywords":[\#(keywords)]}"#
        let user = M.user((0..<250).map { M.message($0) }, preferences: preferences)
        var planned = 0
        let time = processorTime { planned = planner.plan(user, now: now).sendPlan?.nudges.count ?? 0 }
        #expect(planned == 250 && time < .seconds(4))
    }
}
