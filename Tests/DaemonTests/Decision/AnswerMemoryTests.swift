import JSON
import Policy
import Testing

@testable import Daemon

import struct FoundationEssentials.UUID

@Suite struct AnswerMemoryTests {
    private let user = UUID()
    private let nudge = NudgeIdentity.message(UUID())

    private func question(_ body: String = "Shall we meet?", context: String? = nil) -> DecisionQuestion {
        DecisionQuestion(
            kind: .message,
            userID: user,
            slot: nil,
            priority: .normal,
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
        memory.forget(user, nudge)
        #expect(memory.answer(question(), nudge, now: 1) == nil)
        memory.remember(try answer(), to: question(), nudge, now: 1)
        memory.forgetAll()
        #expect(memory.answer(question(), nudge, now: 2) == nil)
    }
}
