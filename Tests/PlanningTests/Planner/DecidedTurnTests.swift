import Fixtures
import APNs
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Configuration

/// What the decision service's answers make of a user's turn.
@Suite struct DecidedTurnTests {
    typealias F = PlannerFixture

    /// 10:05 in Tokyo: the check-in is due.
    private let now = F.at("2026-11-20T01:05:00Z")

    /// Of a user who consents.
    private static let smart = with(#""smart_enabled":true"#)

    private static func with(_ member: String) -> String { String(F.daily.dropLast()) + ",\(member)}" }

    private func planner() -> Planner {
        var planner = F.planner()
        planner.asksService = true
        return planner
    }

    private func message(_ number: UInt8, urgent: Bool = false, category: String? = nil, data: String? = nil)
        -> PendingMessage
    {
        PendingMessage(
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)),
            createdAt: now - 5,
            title: "Ann",
            body: "text \(number)",
            data: data,
            urgent: urgent,
            category: category,
            expiresAt: now + 100
        )
    }

    private func sendPlan(
        _ messages: [PendingMessage],
        planner: Planner? = nil,
        preferences: String = Self.smart
    ) throws -> SendPlan {
        let user = F.user(preferences: preferences, messages: messages)
        return try #require((planner ?? self.planner()).plan(user, now: now).sendPlan)
    }

    private func outcome(_ notify: Bool, _ more: String = "") throws -> DecisionOutcome {
        let json = "{\"should_notify\": \(notify), \"priority\": \"low\", \"reason\": \"r\"\(more)}"
        return DecisionOutcome(origin: .service, answer: try DecisionAnswer(parsing: Array(json.utf8), hiding: []))
    }

    private func outcomes(_ sendPlan: SendPlan, _ of: (PlannedNudge) throws -> DecisionOutcome?) rethrows
        -> [NudgeIdentity: DecisionOutcome]
    {
        var all: [NudgeIdentity: DecisionOutcome] = [:]
        for nudge in sendPlan.nudges { all[nudge.identity] = try of(nudge) }
        return all
    }

    @Test func turn_whenNoServiceIsConfigured_isNotAsked() throws {
        let sendPlan = try sendPlan([message(1)], planner: F.planner())
        #expect(sendPlan.nudges.count == 2 && !sendPlan.isToBeAsked)
        #expect(sendPlan.decided([:], at: now, paused: []).nudges.count == 2)
    }

    /// The plan holds no text for the service, so no later stage can send one.
    @Test(
        arguments: [
            F.daily, with(#""smart_enabled":false"#), with(#""smart_enabled":"true""#), with(#""smart_enabled":1"#),
        ]
    )
    func turn_whenTheUserDoesNotConsent_isNotAskedAndGoesByThePolicy(preferences: String) throws {
        let sendPlan = try sendPlan([message(1)], preferences: preferences)
        #expect(sendPlan.lacksConsent && !sendPlan.isToBeAsked)
        #expect(sendPlan.nudges.allSatisfy { $0.text == nil && sendPlan.question($0) == nil })
        // An ordinary message: a fallback strategy would drop it.
        let decided = sendPlan.decided([:], at: now, paused: [])
        #expect(decided.nudges.map(\.identity) == [.message(message(1).id), .checkIn(F.date("2026-11-20"))])
        #expect(decided.nudges.allSatisfy { $0.decision == nil })
    }

    @Test func questions_areOfEachNudgeInOrder() throws {
        let sendPlan = try sendPlan([message(1), message(2, urgent: true)])
        let questions = sendPlan.nudges.compactMap(sendPlan.question)
        #expect(questions.map(\.kind) == [.message, .message, .checkIn])
        #expect(questions.map(\.priority) == [.urgent, .medium, .medium])
        #expect(questions.map(\.body) == ["text 2", "text 1", "How are you?"])
        #expect(questions.map(\.slot) == [nil, nil, F.date("2026-11-20")])
    }

    @Test func decided_whenAllIsDeclined_endsEachInItsWay() throws {
        let sendPlan = try sendPlan([message(1)])
        let no = try outcome(false)
        let decided = sendPlan.decided(outcomes(sendPlan) { _ in no }, at: now + 1, paused: [])
        #expect(decided.nudges.isEmpty && !decided.isPartial)
        #expect(decided.ended == [.message(message(1).id)])
        #expect(decided.records.map(\.outcome) == [.dropped, .skipped])
        #expect(decided.records.allSatisfy { $0.reason == "declined" && $0.decision == no.json && $0.deviceHash == "" })
        #expect(decided.records.allSatisfy { $0.attemptedAt == now + 1 })
        // The slot is over: the next question is tomorrow's, and no sweep finds that it went by unsent.
        let planner = planner()
        let settled = planner.settle(decided, outcomes: [], attemptedAt: now, now: now + 1)
        #expect(settled.state.history.closed == [F.date("2026-11-20")] && settled.state.history.sent.isEmpty)
        #expect(settled.dueAt > now + 72_000, "at the re-check of the day, or for tomorrow's slot")
        let again = F.user(fingerprint: settled.state.fingerprint, evaluatedAt: now, history: settled.state.history)
        let later = planner.plan(again, now: F.at("2026-11-20T06:00:00Z"))
        #expect(later.sendPlan == nil && later.records.isEmpty)
    }

    @Test func decided_whenOneIsDeclined_sendsTheOthers() throws {
        let sendPlan = try sendPlan([message(1), message(2)])
        let decided = sendPlan.decided(
            try outcomes(sendPlan) { try outcome($0.identity != .message(message(1).id)) },
            at: now,
            paused: []
        )
        #expect(decided.nudges.map(\.identity) == [.message(message(2).id), .checkIn(F.date("2026-11-20"))])
        #expect(decided.nudges.allSatisfy { $0.decision?.shouldNotify == true && !$0.isToBeAsked })
        #expect(decided.ended == [.message(message(1).id)] && !decided.isPartial)
        let settled = planner().settle(
            decided,
            outcomes: Array(repeating: .accepted, count: 2),
            attemptedAt: now,
            now: now
        )
        #expect(settled.records.map(\.outcome) == [.dropped, .accepted, .accepted])
        #expect(settled.records.allSatisfy { $0.decision != nil })
        #expect(settled.ended == [message(1).id, message(2).id])
    }

    /// What was not asked of, ended while the answer was awaited, or is paused now, stays and is asked again.
    @Test func decided_whenThereIsNoAnswerThatHolds_staysAsItWas() throws {
        let sendPlan = try sendPlan([message(1)])
        let first = try #require(sendPlan.nudges.first)
        for (given, at, paused): (Bool, Instant, Set<NudgeKind>) in [
            (false, now, []), (true, now + 100, []), (true, now, [.message]),
        ] {
            let decided = sendPlan.decided(
                try outcomes(sendPlan) { try $0.identity == first.identity && !given ? nil : outcome(false) },
                at: at,
                paused: paused
            )
            #expect(decided.isPartial && decided.nudges.isEmpty, "\(given) \(at) \(paused)")
            #expect(!decided.ended.contains(first.identity))
            #expect(!decided.records.contains { $0.kind == "message" })
        }
    }

    @Test func decided_whenATextComes_itReplacesTheNudgesOwn() throws {
        let sendPlan = try sendPlan([message(1, urgent: true, category: "chat", data: #"{"x": 1}"#)])
        let decided = sendPlan.decided(
            try outcomes(sendPlan) { _ in try outcome(true, ", \"body\": \"other\"") },
            at: now,
            paused: []
        )
        let payloads = try decided.nudges.map { try JSONValue(parsing: $0.payload) }
        #expect(payloads.map { $0["aps"]?["alert"]?["body"] } == [.string("other"), .string("other")])
        #expect(payloads.map { $0["aps"]?["alert"]?["title"] } == [.string("Ann"), .string("Hello")])
        #expect(payloads[0]["x"] == .int(1) && payloads[0]["aps"]?["category"] == .string("chat"))
        #expect(payloads[0]["aps"]?["interruption-level"] == .string("time-sensitive"))
        #expect(payloads[1]["aps"]?["interruption-level"] == nil)
        // Without a text from the service the push is unchanged.
        let own = sendPlan.decided(try outcomes(sendPlan) { _ in try outcome(true) }, at: now, paused: [])
        #expect(own.nudges.map(\.payload) == sendPlan.nudges.map(\.payload))
    }

    @Test func decided_whenTheTextFitsNoPush_keepsItsOwn() throws {
        let data = "{\"x\": \"\(String(repeating: "y", count: 2500))\"}"
        let sendPlan = try sendPlan([message(1, data: data)])
        let long = String(repeating: "x", count: 2500)
        let decided = sendPlan.decided(
            try outcomes(sendPlan) { _ in try outcome(true, ", \"body\": \"\(long)\"") },
            at: now,
            paused: []
        )
        #expect(decided.nudges.first?.payload == sendPlan.nudges.first?.payload)
        #expect(decided.nudges.last?.payload.isEmpty == false)
    }

    @Test func fallback_goesByTheUsersStrategyAndTheNudge() throws {
        let sendPlan = try sendPlan(
            [
                message(1), message(2, category: "mention"), message(3, data: #"{"mention": true}"#),
                message(4, data: #"{"mention": "no"}"#), message(5, urgent: true),
            ].map { $0 },
            planner: {
                var planner = F.planner(
                    messages: Configuration.Messages(digestAfter: 9, digestTitle: "n", digestBody: "n")
                )
                planner.asksService = true
                return planner
            }()
        )
        let outcomes = sendPlan.nudges.map { sendPlan.fallback($0, because: .timedOut) }
        #expect(outcomes.map(\.shouldNotify) == [true, false, true, true, false, true])
        #expect(outcomes.map(\.answer.priority) == [.urgent, .medium, .medium, .medium, .medium, .medium])
        let second = outcomes[1].answer.reason
        #expect(second == "neither urgent nor a mention: the decision service did not answer in time")
        #expect(
            try JSONValue(parsing: outcomes[0].json)["by"] == .string("fallback")
        )
        let quiet = try self.sendPlan(
            [message(5, urgent: true)],
            preferences: Self.with(#""smart_enabled":true,"fallback_strategy":"suppress_all""#)
        )
        #expect(quiet.nudges.map { quiet.fallback($0, because: .overLimit).shouldNotify } == [false, false])
    }

    /// A device that is left goes on under the first answer.
    @Test func nudge_whenItCountsAlready_isNotAskedAgain() throws {
        let retry = Retry(
            identity: .message(message(1).id),
            validUntil: now + 100,
            version: 1,
            attempt: 0,
            countedAt: now - 3,
            left: [
                Retry.Left(deviceHash: PushIdentity.deviceHash(token: F.token(1)), notBefore: now - 1, isRepeat: true)
            ]
        )
        let user = F.user(
            history: History(
                checkIns: [CheckIn(at: now - 60, slot: F.date("2026-11-20"))],
                sent: [now - 60, now - 3]
            ),
            retry: retry,
            preferences: Self.smart,
            messages: [message(1)]
        )
        let sendPlan = try #require(planner().plan(user, now: now).sendPlan)
        #expect(sendPlan.nudges.count == 1 && !sendPlan.isToBeAsked)
        #expect(sendPlan.decided([:], at: now, paused: []).nudges.count == 1)
    }
}
