import APNs
import JSON
import Policy
import Store
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Daemon

/// Messages of a user's turn.
@Suite struct JudgeMessageTests {
    typealias F = JudgeFixture

    private let judge = F.judge()
    /// 15:00 in Tokyo, long after the day's check-in.
    private let now = F.at("2026-11-20T06:00:00Z")
    /// Somebody who has had today's check-in.
    private let history = History(
        checkIns: [CheckIn(at: F.at("2026-11-20T01:00:00Z"), slot: F.date("2026-11-20"))],
        sent: [F.at("2026-11-20T01:00:00Z")]
    )

    private func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    private func message(
        _ number: UInt8,
        _ title: String = "Hi",
        body: String = "there",
        created: Instant? = nil,
        data: String? = nil,
        conversationID: String? = nil,
        urgent: Bool = false,
        collapseKey: String? = nil,
        expiresAt: Instant? = nil
    ) -> PendingMessage {
        PendingMessage(
            id: id(number),
            createdAt: created ?? now + (Int64(number) - 60),
            title: title,
            body: body,
            data: data,
            conversationID: conversationID,
            urgent: urgent,
            collapseKey: collapseKey,
            expiresAt: expiresAt
        )
    }

    private func user(
        _ messages: [PendingMessage],
        retry: String? = nil,
        history: History? = nil,
        preferences: String? = F.daily,
        version: Int64 = 1,
        devices: [Device] = [F.device(1)],
        hasMore: Bool = false
    ) -> ClaimedUser {
        ClaimedUser(
            userID: F.userID,
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
            hasMoreMessages: hasMore
        )
    }

    private func payload(_ nudge: PlannedNudge?) throws -> JSONValue {
        try JSONValue(parsing: try #require(nudge?.payload))
    }

    private func text(_ value: JSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    private let capped = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","max_per_hour":2}"#

    // MARK: What goes out

    @Test func message_whenNothingHoldsIt_goesWithItsWords() throws {
        let turn = try #require(
            judge.judge(
                user([
                    message(
                        1,
                        "Ann",
                        body: "How \"are\" you?",
                        data: #"{"n": 12345678901234567890, "x": [1, 2]}"#,
                        conversationID: "00000000-0000-0000-0000-0000000000AB"
                    )
                ]),
                now: now
            ).turn
        )
        #expect(turn.nudges.map(\.identity) == [.message(id(1))])
        let payload = try payload(turn.nudges.first)
        #expect(text(payload["aps"]?["alert"]?["title"]) == "Ann")
        #expect(text(payload["aps"]?["alert"]?["body"]) == "How \"are\" you?")
        #expect(text(payload["action"]) == "open_conversation")
        #expect(text(payload["conversation_id"]) == "00000000-0000-0000-0000-0000000000ab")
        #expect(payload["aps"]?["interruption-level"] == nil)
        // No digit of a number is lost on the way.
        #expect(String(decoding: turn.nudges[0].payload ?? [], as: UTF8.self).contains("12345678901234567890"))
        #expect(turn.nudges[0].expiresAt == now + 86_400)
        #expect(turn.nudges[0].validUntil == F.at("2026-11-20T13:00:00Z"), "quiet hours begin")
    }

    @Test func turn_whenACheckInAndMessagesAreDue_countsEachBeforeTheNext() throws {
        let inSlot = F.at("2026-11-20T01:30:00Z")
        let messages = [message(1, created: inSlot), message(2, created: inSlot + -5)]
        let all = try #require(judge.judge(user(messages, history: History()), now: inSlot).turn)
        #expect(all.nudges.map(\.identity) == [.message(id(2)), .message(id(1)), .checkIn(F.date("2026-11-20"))])
        // Two an hour: the check-in waits, and the row says until when.
        let two = try #require(judge.judge(user(messages, history: History(), preferences: capped), now: inSlot).turn)
        #expect(two.nudges.map(\.identity) == [.message(id(2)), .message(id(1))])
        let settled = judge.settle(two, outcomes: [.accepted, .accepted], attemptedAt: inSlot, now: inSlot)
        #expect(settled.update.history.sent == [inSlot, inSlot] && settled.update.history.checkIns.isEmpty)
        #expect(settled.ended == [.message(id(2)), .message(id(1))])
        #expect(settled.update.dueAt == inSlot + 3600)
        #expect(settled.records.map(\.kind) == ["message", "message"])
        #expect(settled.records.allSatisfy { $0.slot == nil && $0.outcome == .accepted })
    }

    @Test func message_whenAnEarlierOneTookTheCap_isDueWhenThatOneFails() throws {
        let one = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","max_per_hour":1}"#
        let turn = try #require(
            judge.judge(user([message(1), message(2)], history: History(sent: []), preferences: one), now: now).turn
        )
        #expect(turn.nudges.map(\.identity) == [.message(id(1))] && turn.othersDue == now + 3600)
        let accepted = judge.settle(turn, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(accepted.update.dueAt == now + 3600)
        let refused = PushOutcome.rejected(status: 400, reason: "BadExpirationDate", deletes: nil)
        let rejected = judge.settle(turn, outcomes: [refused], attemptedAt: now, now: now)
        #expect(rejected.update.dueAt == now + 1 && rejected.ended == [.message(id(1))])
    }

    @Test func message_whenUrgentInTheNight_goesThroughFocus() throws {
        let night = F.at("2026-11-20T15:00:00Z")
        let turn = try #require(
            judge.judge(user([message(1), message(2, urgent: true, collapseKey: "k")]), now: night).turn
        )
        #expect(turn.nudges.map(\.identity) == [.message(id(2))])
        #expect(text(try payload(turn.nudges[0])["aps"]?["interruption-level"]) == "time-sensitive")
        #expect(turn.othersDue == F.at("2026-11-20T23:00:00Z"), "08:00 in Tokyo")
        let silent = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","allow_urgent":false}"#
        let rest = judge.judge(user([message(2, urgent: true)], preferences: silent), now: night)
        #expect(rest.rest?.dueAt == F.at("2026-11-20T23:00:00Z"))
    }

    /// 4,096 bytes with the level that a keyword adds: the words go, without it.
    @Test func message_whenOnlyTheLevelIsTooMuch_goesWithoutIt() throws {
        let keyword =
            #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","priority_keywords":["help"]}"#
        let turn = try #require(
            judge.judge(
                user([message(1, "help", body: String(repeating: "x", count: 4000))], preferences: keyword),
                now: now
            ).turn
        )
        let bytes = try #require(turn.nudges[0].payload)
        #expect(bytes.count <= 4096 && !String(decoding: bytes, as: UTF8.self).contains("interruption-level"))
    }

    // MARK: What ends

    @Test(arguments: [
        ("expired", #"{"timezone":"Asia/Tokyo"}"#, -1), ("disabled", #"{"messages_enabled":false}"#, 60),
    ]) func message_whenItMustNotGo_isDroppedAndRecorded(reason: String, preferences: String, expires: Int64) throws {
        let judgement = judge.judge(user([message(1, expiresAt: now + expires)], preferences: preferences), now: now)
        #expect(judgement.ended == [.message(id(1))])
        let record = try #require(judgement.records.first { $0.kind == "message" })
        #expect(record.outcome == .dropped && record.reason == reason && record.key == NudgeIdentity.message(id(1)).key)
        #expect(record.deviceHash.isEmpty && record.attemptedAt == now)
    }

    @Test func message_whenThereIsNoDevice_isDropped_butNotForAForeignLane() {
        #expect(judge.judge(user([message(1)], devices: []), now: now).records.map(\.reason) == ["no_device"])
        let foreign = Device(
            token: F.token(1),
            registeredAt: F.at("2026-01-01T00:00:00Z"),
            environment: "production",
            topic: nil
        )
        let held = judge.judge(user([message(1)], devices: [foreign]), now: now)
        #expect(held.ended.isEmpty && held.rest != nil)
        let late = judge.judge(user([message(1, expiresAt: now)], devices: [foreign]), now: now)
        #expect(late.records.map(\.reason) == ["expired"])
    }

    @Test func message_whenItsDataIsSpoilt_isDroppedAlone() {
        let judgement = judge.judge(user([message(1, data: #"{"aps": 1}"#), message(2)]), now: now)
        #expect(judgement.turn?.nudges.map(\.identity) == [.message(id(2))])
        #expect(judgement.records.map(\.reason) == ["payload_malformed"] && judgement.ended == [.message(id(1))])
    }

    @Test func message_whenANewerHasItsCollapseKey_ends() throws {
        let judgement = judge.judge(
            user([message(1, collapseKey: "k"), message(3, collapseKey: "k"), message(2, collapseKey: "k"), message(4)]
            ),
            now: now
        )
        let turn = try #require(judgement.turn)
        #expect(turn.nudges.map(\.identity) == [.message(id(3)), .message(id(4))])
        #expect(Set(turn.ended) == [.message(id(1)), .message(id(2))])
        #expect(
            turn.records.map(\.reason) == ["collapsed", "collapsed"]
                && turn.records.allSatisfy { $0.outcome == .dropped }
        )
        #expect(turn.nudges[0].collapseKey == "key:k" && turn.nudges[1].collapseKey == NudgeIdentity.message(id(4)).key)
    }

    // MARK: The end of quiet hours

    private var night: Instant { F.at("2026-11-19T18:00:00Z") }
    private var morning: Instant { F.at("2026-11-19T23:00:00Z") }

    private func nightly(_ count: UInt8) -> [PendingMessage] {
        (1...count).map { message($0, created: night + Int64($0)) }
    }

    @Test func messages_whenMoreThanThreeWaitedForTheMorning_wakeAsOne() throws {
        let three = try #require(judge.judge(user(nightly(3), history: History()), now: morning).turn)
        #expect(three.nudges.count == 3)
        let turn = try #require(
            judge.judge(user(nightly(4) + [message(9, created: morning)], history: History()), now: morning).turn
        )
        #expect(turn.nudges.count == 2)
        let digest = turn.nudges[0]
        #expect(digest.identity == .digest(of: .message(id(1))) && digest.members == (1...4).map { .message(id($0)) })
        #expect(text(try payload(digest)["aps"]?["alert"]?["body"]) == "4 came.")
        // It counts once, and each message has its row.
        let settled = judge.settle(turn, outcomes: [.accepted, .accepted], attemptedAt: morning, now: morning)
        #expect(settled.update.history.sent.count == 2 && settled.records.count == 5)
        #expect(settled.records.count { $0.reason == "digest" } == 4 && Set(settled.records.map(\.apnsID)).count == 2)
        #expect(Set(settled.ended).count == 5)
    }

    @Test func digest_whenItsOutcomeIsUnknown_isRepeatedAsOne() throws {
        let turn = try #require(judge.judge(user(nightly(4), history: History()), now: morning).turn)
        let unknown = judge.settle(turn, outcomes: [.unknown(reason: "no_answer")], attemptedAt: morning, now: morning)
        #expect(unknown.ended.isEmpty && unknown.records.count == 4)
        let again = user(nightly(4), retry: unknown.update.retry, history: unknown.update.history)
        let repeated = try #require(judge.judge(again, now: morning + 2).turn)
        #expect(repeated.nudges.map(\.members) == turn.nudges.map(\.members))
        #expect(repeated.targets.map(\.apnsID) == turn.targets.map(\.apnsID))
        // One of them was cancelled meanwhile.
        let fewer = user(Array(nightly(4).dropFirst()), retry: unknown.update.retry, history: unknown.update.history)
        let rest = try #require(judge.judge(fewer, now: morning + 2).turn)
        #expect(rest.nudges.map(\.members.count) == [3] && rest.targets.map(\.apnsID) == turn.targets.map(\.apnsID))
    }

    // MARK: Unknown

    /// Promise 2: repeated once, with the same ids; a second unknown is final.
    @Test func message_whenItsOutcomeIsUnknown_isRepeatedOnce() throws {
        let first = try #require(judge.judge(user([message(1)]), now: now).turn)
        let unknown = PushOutcome.unknown(reason: "no_answer")
        let settled = judge.settle(first, outcomes: [unknown], attemptedAt: now, now: now + 10)
        #expect(settled.ended.isEmpty && settled.records.map(\.outcome) == [.unknown])
        #expect(settled.update.history.sent.count == 2 && settled.update.dueAt == now + 11)
        let again = user([message(1)], retry: settled.update.retry, history: settled.update.history)
        let second = try #require(judge.judge(again, now: now + 11).turn)
        #expect(second.targets.map(\.apnsID) == first.targets.map(\.apnsID))
        #expect(second.nudges.map(\.collapseKey) == first.nudges.map(\.collapseKey))
        let final = judge.settle(second, outcomes: [unknown], attemptedAt: now + 11, now: now + 20)
        #expect(final.ended == [.message(id(1))] && final.update.retry == nil)
        // It counts once.
        #expect(final.update.history.sent.count == 2)
    }

    /// The repeat is not held by its own entry in the cap, and keeps to what changed since.
    @Test func repeat_whenAsked_leavesItsOwnSendOut() throws {
        let one = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","max_per_day":1}"#
        let first = try #require(judge.judge(user([message(1)], history: History(), preferences: one), now: now).turn)
        let settled = judge.settle(first, outcomes: [.unknown(reason: "x")], attemptedAt: now, now: now)
        let changed = user(
            [message(1)],
            retry: settled.update.retry,
            history: settled.update.history,
            preferences: one,
            version: 2 << 32
        )
        #expect(judge.judge(changed, now: now + 2).turn?.nudges.map(\.identity) == [.message(id(1))])
        // Into the night: it waits for the morning, and is still a repeat then.
        let late = judge.judge(changed, now: F.at("2026-11-20T14:00:00Z"))
        let rest = try #require(late.rest)
        let morning = F.at("2026-11-20T23:00:00Z")
        #expect(rest.dueAt == morning && rest.retry?.contains("repeat") == true)
        // Opted out since: it ends, and no device gets it.
        let off = judge.judge(
            user(
                [message(1)],
                retry: settled.update.retry,
                history: settled.update.history,
                preferences: #"{"messages_enabled":false}"#,
                version: 2 << 32
            ),
            now: now + 2
        )
        #expect(
            off.ended == [.message(id(1))] && off.records.map(\.outcome) == [.skipped]
                && off.records[0].reason == "disabled"
        )
    }

    /// What recover.sql enters from the intent of a dead daemon.
    @Test func intent_whenTheDaemonDies_saysWhatIsRepeated() throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(judge.judge(user([message(1)], devices: two), now: now).turn)
        let entry = judge.entry(first, attemptedAt: now)
        #expect(entry.devices.map(\.ends) == [false, false])
        let left = Retry.all(json: try #require(entry.retry))
        #expect(left.map(\.countedAt) == [now] && left[0].left.map(\.isRepeat) == [true, true])
        let dead = user([message(1)], retry: entry.retry, history: history.adding(sent: now), devices: two)
        let second = try #require(judge.judge(dead, now: now + 40).turn)
        #expect(second.targets.map(\.apnsID) == first.targets.map(\.apnsID) && second.targets.allSatisfy(\.isRepeat))
        let last = judge.entry(second, attemptedAt: now + 40)
        #expect(last.devices.allSatisfy { $0.ends && $0.isCounted } && last.retry == nil)
    }

    @Test func message_whenOneDeviceWasRefusedAndOneIsDelayed_goesOnThere() throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(judge.judge(user([message(1)], devices: two), now: now).turn)
        let settled = judge.settle(
            first,
            outcomes: [.accepted, .delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)],
            attemptedAt: now,
            now: now
        )
        #expect(settled.ended.isEmpty && settled.update.dueAt == now + 900)
        let again = user([message(1)], retry: settled.update.retry, history: settled.update.history, devices: two)
        #expect(judge.judge(again, now: now + 5).turn == nil)
        let second = try #require(judge.judge(again, now: now + 900).turn)
        #expect(
            second.targets.map(\.hash) == [PushIdentity.deviceHash(token: F.token(2))] && !second.targets[0].isRepeat
        )
        #expect(
            judge.settle(second, outcomes: [.accepted], attemptedAt: now + 900, now: now + 900).ended == [
                .message(id(1))
            ]
        )
    }

    @Test func retries_whenWrittenAndRead_areEqual() throws {
        let message = NudgeIdentity.message(id(1))
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
                members: [message, .message(id(2))],
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

    // MARK: More than was read

    @Test func user_whenMoreWaitsThanWasRead_isAskedAgain() throws {
        let night = F.at("2026-11-20T15:00:00Z")
        let asleep = try #require(judge.judge(user([message(1)], hasMore: true), now: night).rest)
        #expect(asleep.dueAt == night + 60, "not each second")
        let ended = try #require(judge.judge(user([message(1, expiresAt: now)], hasMore: true), now: now).rest)
        #expect(ended.dueAt == now + 1)
        let turn = try #require(judge.judge(user([message(1)], hasMore: true), now: now).turn)
        #expect(judge.settle(turn, outcomes: [.accepted], attemptedAt: now, now: now).update.dueAt == now + 1)
    }

    @Test func turn_whenFewerStreamsAreFree_keepsTheRestForNext() throws {
        let turn = try #require(
            judge.judge(user([message(1), message(2)], devices: [F.device(1), F.device(2)]), now: now).turn
        )
        var pending = [turn][...]
        let part = try #require(Sweeper.take(upTo: 3, from: &pending).first)
        #expect(part.nudges.map(\.identity) == [.message(id(1))] && part.pushCount == 2 && part.isPartial)
        let settled = judge.settle(part, outcomes: [.accepted, .accepted], attemptedAt: now, now: now)
        #expect(settled.ended == [.message(id(1))] && settled.update.dueAt == now + 1)
        pending = [turn]
        let one = try #require(Sweeper.take(upTo: 1, from: &pending).first)
        #expect(one.nudges.map(\.targets.count) == [1] && one.waiting.count == 1)
    }

    /// An answer that ended while it waited for a stream is asked again; the others go.
    @Test func turn_whenOneAnswerEnded_sendsTheOthers() throws {
        let turn = try #require(judge.judge(user([message(1, expiresAt: now + 5), message(2)]), now: now).turn)
        let rest = turn.sendable(at: now + 5, paused: [])
        #expect(rest.nudges.map(\.identity) == [.message(id(2))] && rest.isPartial)
        #expect(turn.sendable(at: now + 4, paused: []).nudges.count == 2)
    }

    /// The tick takes both: the microsecond decides, not the ids.
    @Test func messages_whenSaidInOneSecond_keepTheirOrder() throws {
        func said(_ number: UInt8, _ microseconds: Int64, key: String? = nil) -> PendingMessage {
            PendingMessage(
                id: id(number),
                createdAt: now,
                order: now.seconds * 1_000_000 + microseconds,
                title: "\(number)",
                body: "",
                collapseKey: key
            )
        }
        let collapsed = try #require(judge.judge(user([said(9, 1, key: "k"), said(1, 2, key: "k")]), now: now).turn)
        #expect(collapsed.nudges.map(\.identity) == [.message(id(1))] && collapsed.ended == [.message(id(9))])
        let both = try #require(judge.judge(user([said(1, 2), said(9, 1)]), now: now).turn)
        #expect(both.nudges.map(\.identity) == [.message(id(9)), .message(id(1))])
    }

    /// Apple is busy shortly before quiet hours: the message goes on in the morning. One that expires before its next attempt ends.
    @Test func message_whenAppleIsBusyBeforeTheNight_waitsForTheMorning() throws {
        let evening = F.at("2026-11-20T12:50:00Z")
        let busy = PushOutcome.delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)
        let turn = try #require(judge.judge(user([message(1)]), now: evening).turn)
        #expect(turn.validUntil == F.at("2026-11-20T13:00:00Z"))
        let settled = judge.settle(turn, outcomes: [busy], attemptedAt: evening, now: evening)
        #expect(settled.ended.isEmpty && settled.records.map(\.outcome) == [.deferred])
        let again = user([message(1)], retry: settled.update.retry, history: settled.update.history)
        let asleep = judge.judge(again, now: settled.update.dueAt)
        #expect(asleep.turn == nil && asleep.ended.isEmpty)
        let morning = F.at("2026-11-20T23:00:00Z")
        #expect(try #require(asleep.rest).dueAt == morning)
        let late = user([message(1)], retry: asleep.rest?.retry, history: settled.update.history)
        #expect(judge.judge(late, now: morning).turn?.targets.map(\.apnsID) == turn.targets.map(\.apnsID))
        let short = user([message(2, expiresAt: evening + 600)])
        let last = try #require(judge.judge(short, now: evening).turn)
        #expect(judge.settle(last, outcomes: [busy], attemptedAt: evening, now: evening).ended == [.message(id(2))])
    }
}
