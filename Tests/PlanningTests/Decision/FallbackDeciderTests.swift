import Policy
import Testing

@testable import Core

@Suite struct FallbackDeciderTests {
    @Test(arguments: [
        (NudgeKind.message, false, false, false, FallbackDecider.Ground.notUrgent),
        (.message, true, false, true, .urgent), (.message, false, true, true, .mention),
        (.message, true, true, true, .urgent),
        (.checkIn, false, false, true, .template), (.reminder, false, false, true, .reminder),
    ])
    func simpleRules(
        kind: NudgeKind,
        isUrgent: Bool,
        isMention: Bool,
        sends: Bool,
        ground: FallbackDecider.Ground
    ) {
        let nudge = FallbackDecider.Nudge(kind: kind, isUrgent: isUrgent, isMention: isMention)
        #expect(FallbackDecider(strategy: .simpleRules).decide(nudge) == .init(sends, ground))
    }

    @Test(arguments: NudgeKind.allCases, [true, false]) func allOrNothing(kind: NudgeKind, isUrgent: Bool) {
        let nudge = FallbackDecider.Nudge(kind: kind, isUrgent: isUrgent)
        #expect(FallbackDecider(strategy: .notifyAll).decide(nudge) == .init(true, .notifyAll))
        #expect(FallbackDecider(strategy: .suppressAll).decide(nudge) == .init(false, .suppressAll))
    }

    @Test func text_fitsTheRecord() {
        let failures: [DecisionFailure] = [
            .overLimit, .resting, .busy, .unreachable, .timedOut, .unreadable, .status(503), .stopped,
            .nonsense(DecisionNonsense(member: "priority", wanted: "urgent, high, medium, normal or low")),
        ]
        for failure in failures {
            for ground in FallbackDecider.Ground.allCases {
                #expect("\(failure.text): \(ground.rawValue)".unicodeScalars.count <= DecisionAnswer.mostReason)
            }
        }
        #expect(failures.filter { $0.outcome == nil } == [.overLimit, .resting])
        #expect(failures.filter { $0.outcome == .abandoned } == [.busy, .stopped])
        #expect(failures.filter { $0.outcome == .answered }.isEmpty)
    }
}
