import NudgedPreferences
import Policy
import Testing

@testable import Core

@Suite struct FallbackDeciderTests {
    @Test(arguments: [
        (NudgeKind.message, false, false, false, "neither urgent nor a mention"),
        (.message, true, false, true, "urgent"), (.message, false, true, true, "mention"),
        (.message, true, true, true, "urgent"),
        (.checkIn, false, false, true, "template"), (.reminder, false, false, true, "reminder"),
    ]) func simpleRules(kind: NudgeKind, isUrgent: Bool, isMention: Bool, sends: Bool, ground: String) {
        let rules = FallbackStrategy.simpleRules
        let found = DecisionOutcome.fallback(rules, kind, isUrgent: isUrgent, isMention: isMention, because: .busy)
        #expect(found.answer == Self.answer(sends, ground, isUrgent: isUrgent) && found.origin == .fallback)
    }

    @Test(arguments: NudgeKind.allCases, [true, false]) func allOrNothing(kind: NudgeKind, isUrgent: Bool) {
        func answer(_ strategy: FallbackStrategy) -> DecisionAnswer {
            DecisionOutcome.fallback(strategy, kind, isUrgent: isUrgent, because: .busy).answer
        }
        #expect(answer(.notifyAll) == Self.answer(true, "notify_all", isUrgent: isUrgent))
        #expect(answer(.suppressAll) == Self.answer(false, "suppress_all", isUrgent: isUrgent))
    }

    private static func answer(_ sends: Bool, _ ground: String, isUrgent: Bool) -> DecisionAnswer {
        let reason = "\(ground): \(DecisionFailure.busy.text)"
        return DecisionAnswer(shouldNotify: sends, priority: isUrgent ? .urgent : .medium, reason: reason)
    }

    @Test func text_fitsTheRecord() {
        let failures: [DecisionFailure] = [
            .overLimit, .resting, .busy, .unreachable, .timedOut, .unreadable, .status(503), .stopped,
            .nonsense(member: "priority", wanted: "urgent, high, medium, normal or low"),
        ]
        let longestGround = "neither urgent nor a mention"
        for failure in failures {
            #expect("\(failure.text): \(longestGround)".unicodeScalars.count <= DecisionAnswer.mostReason)
        }
        #expect(failures.filter { $0.outcome == nil } == [.overLimit, .resting])
        #expect(failures.filter { $0.outcome == .abandoned } == [.busy, .stopped])
        #expect(failures.filter { $0.outcome == .answered }.isEmpty)
    }
}
