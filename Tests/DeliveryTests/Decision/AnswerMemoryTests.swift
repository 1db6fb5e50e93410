import JSON
import Policy
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

@Suite struct AnswerMemoryTests {
    private let user = UUID()
    private let nudge = NudgeIdentity.message(UUID())

    private func question(_ body: String = "Shall we meet?", context: String? = nil) -> DecisionQuestion {
        DecisionQuestion(
            kind: .message,
            userID: user,
            slot: nil,
            priority: .medium,
            title: "Ann",
            body: body,
            context: RecipientContext(json: context).object
        )
    }

    private func answer() throws -> DecisionAnswer {
        let body = #"{"should_notify": true, "priority": "high", "reason": "because"}"#
        return try DecisionAnswer(parsing: Array(body.utf8), hiding: [])
    }

    @Test func answer_whenTheQuestionIsTheSame_isKnownForAnHour() throws {
        var memory = AnswerMemory()
        #expect(memory.answer(question(), nudge, now: 0) == nil)
        memory.remember(try answer(), to: question(), nudge, now: 0)
        #expect(memory.answer(question(), nudge, now: 3_599_999) == (try answer()))
        #expect(memory.answer(question(), nudge, now: 3_600_000) == nil)
    }

    @Test func answer_whenAnythingIsOther_isAskedAgain() throws {
        var memory = AnswerMemory()
        memory.remember(try answer(), to: question(), nudge, now: 0)
        #expect(memory.answer(question("Or not?"), nudge, now: 1) == nil)
        #expect(memory.answer(question(context: #"{"mood": "low"}"#), nudge, now: 1) == nil)
        #expect(memory.answer(question(), .message(UUID()), now: 1) == nil)
        memory.forget(user, [nudge])
        #expect(memory.answer(question(), nudge, now: 1) == nil)
        memory.remember(try answer(), to: question(), nudge, now: 1)
        memory.forgetAll()
        #expect(memory.answer(question(), nudge, now: 2) == nil)
    }

    /// What was said an hour ago goes first; where so many wait that it is of no use, all goes, and is asked again.
    @Test func memory_whenItIsFull_forgetsWhatIsOldThenAll() throws {
        var memory = AnswerMemory()
        let answer = try answer()
        let first = question()
        memory.remember(answer, to: first, nudge, now: 0)
        for _ in 1..<20_000 { memory.remember(answer, to: first, .message(UUID()), now: 3_600_000 - 1) }
        #expect(memory.answer(first, nudge, now: 3_599_999) == answer)
        let second = NudgeIdentity.message(UUID())
        memory.remember(answer, to: first, second, now: 3_600_000)
        let third = NudgeIdentity.message(UUID())
        memory.remember(answer, to: first, third, now: 3_600_000)
        // 19,999 that live, and these two: the last was one too many.
        #expect(memory.answer(first, second, now: 3_600_001) == nil)
        #expect(memory.answer(first, third, now: 3_600_001) == answer)
    }
}

@Suite struct DecisionStatusTests {
    private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

    @Test func since_isWhenItBegan() {
        var status = DecisionStatus(since: nil)
        status.note(fault: nil, now: nil)
        #expect(status.since == nil)
        status.note(fault: nil, now: Self.at(10))
        #expect(status.state == DecisionStatus.active && status.since == Self.at(10) && status.reason == nil)
        status.note(fault: "a", now: Self.at(20))
        #expect(status.state == DecisionStatus.fallback && status.since == Self.at(20) && status.reason == "a")
        status.note(fault: "b", now: Self.at(30))
        #expect(status.since == Self.at(20) && status.reason == "b")
        status.note(fault: nil, now: Self.at(40))
        #expect(status.state == DecisionStatus.active && status.since == Self.at(40) && status.reason == nil)
    }

    @Test func json_isReadAsItWasWritten() throws {
        var status = DecisionStatus(since: nil)
        for fault in [nil, "the decision service answers with status 503"] {
            status.note(fault: fault, now: Self.at(86_400))
            #expect(DecisionStatus(status.fields.part) == status)
        }
        #expect(DecisionStatus(.object(JSONObject())) == nil)
        let newer = DecisionStatus(try JSONValue(parsing: #"{"state": "half asleep", "since": 5}"#))
        #expect(newer?.state == "half asleep" && newer?.since == nil)
    }
}
