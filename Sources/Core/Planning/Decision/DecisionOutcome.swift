import JSON
import NudgedPreferences
import Policy

import struct FoundationEssentials.UUID

/// What was decided about a nudge after the policy, and who decided it.
package struct DecisionOutcome: Sendable, Equatable {
    package enum Origin: String, Sendable, CaseIterable {
        case service
        case fallback
    }

    package struct Kind: Sendable, Hashable {
        package let origin: Origin
        package let shouldNotify: Bool

        package static let all = Origin.allCases.flatMap { origin in
            [true, false].map { Kind(origin: origin, shouldNotify: $0) }
        }
    }

    let origin: Origin
    let answer: DecisionAnswer

    package var shouldNotify: Bool { answer.shouldNotify }
    package var kind: Kind { Kind(origin: origin, shouldNotify: shouldNotify) }

    /// The value of `nudged.delivery.decision`: `{"by", "notify", "priority", "reason"}`. Never a title or body.
    var json: String {
        let (by, priority) = (origin.rawValue, answer.priority.rawValue)
        return Fields.text(["by": by, "notify": shouldNotify, "priority": priority, "reason": answer.reason])
    }

    /// The decision of the user's fallback strategy instead of the service's. `isUrgent` is the policy's result.
    static func fallback(
        _ strategy: FallbackStrategy,
        _ kind: NudgeKind,
        isUrgent: Bool,
        isMention: Bool = false,
        because failure: DecisionFailure
    ) -> DecisionOutcome {
        let found: (shouldNotify: Bool, ground: String) =
            switch (strategy, kind) {
            case (.notifyAll, _): (true, "notify_all")
            case (.suppressAll, _): (false, "suppress_all")
            case (.simpleRules, _) where isUrgent: (true, "urgent")
            case (.simpleRules, _) where isMention: (true, "mention")
            case (.simpleRules, .message): (false, "neither urgent nor a mention")
            // A check-in is sent with its own text.
            case (.simpleRules, .checkIn): (true, "template")
            // Its author set it for this time, so it is wanted.
            case (.simpleRules, .reminder): (true, "reminder")
            }
        // The service would have been asked with it.
        let priority = isUrgent ? DecisionPriority.urgent : .medium
        let reason = "\(found.ground): \(failure.text)".oneLine(most: DecisionAnswer.mostReason)
        let answer = DecisionAnswer(shouldNotify: found.shouldNotify, priority: priority, reason: reason)
        return DecisionOutcome(origin: .fallback, answer: answer)
    }
}

package typealias DecisionResult = Result<DecisionAnswer, DecisionFailure>

/// Why the user's fallback strategy decided about a nudge instead of the decision service.
package enum DecisionFailure: Error, Sendable, Equatable {
    case overLimit
    /// The circuit breaker is open.
    case resting
    case busy
    case unreachable
    case timedOut
    case unreadable
    case status(Int)
    /// What is invalid in an answer, and what is expected there, never its value. `member`: nil for the whole answer.
    case nonsense(member: String?, wanted: String)
    case stopped

    /// For the record, journal and status. It holds nothing of the service's answer.
    package var text: String {
        switch self {
        case .overLimit: "the user's analyses an hour are used up"
        case .resting: "the decision service is left alone for a while"
        case .busy: "too many nudges wait for the decision service"
        case .unreachable: "the decision service can't be reached"
        case .timedOut: "the decision service did not answer in time"
        case .unreadable: "the decision service's answer can't be read"
        case .status(let status): "the decision service answers with status \(status)"
        case .nonsense(let member, let wanted):
            "the decision service answers nonsense (\(member.map { "\($0): " } ?? "")wanted \(wanted))"
        case .stopped: "the daemon is stopping"
        }
    }

    /// What the failure shows about the service. nil: the service was not called.
    package var outcome: CircuitBreaker.Outcome? {
        switch self {
        case .overLimit, .resting: nil
        case .busy, .stopped: .abandoned
        case .unreachable, .timedOut, .unreadable, .status, .nonsense: .failed
        }
    }
}

/// The decision service's answers about nudges that are not sent yet. The same question gets the same answer without a
/// second call. This happens if Apple is unreachable, a row is held, or the profile changes often. A second call would
/// use up the user's analyses. In the end a fallback could contradict the service.
struct AnswerMemory: Sendable {
    private struct Place: Hashable {
        let userID: UUID
        let nudge: NudgeIdentity
    }

    /// `question`: the hash of its bytes, since texts are not kept. `until`: CLOCK_BOOTTIME milliseconds.
    private var answers: [Place: (question: UInt64, answer: DecisionAnswer, until: Int64)] = [:]

    /// An answer is kept as long as an analysis counts.
    private static let hour: Int64 = 3_600_000
    private static let most = 20_000

    /// The known answer to exactly this question. nil: ask the service.
    func answer(_ question: DecisionQuestion, _ nudge: NudgeIdentity, now: Int64) -> DecisionAnswer? {
        guard let known = answers[Place(userID: question.userID, nudge: nudge)], known.until > now,
            known.question == question.json.stableHash
        else { return nil }
        return known.answer
    }

    mutating func remember(_ answer: DecisionAnswer, to question: DecisionQuestion, _ nudge: NudgeIdentity, now: Int64)
    {
        if answers.count >= Self.most { answers = answers.filter { $0.value.until > now } }
        // Still full: forget all, and ask the service again.
        if answers.count >= Self.most { answers = [:] }
        let place = Place(userID: question.userID, nudge: nudge)
        answers[place] = (question.json.stableHash, answer, now + Self.hour)
    }

    /// The nudges were sent or have ended.
    mutating func forget(_ user: UUID, _ nudges: some Sequence<NudgeIdentity>) {
        guard !answers.isEmpty else { return }
        for nudge in nudges { answers[Place(userID: user, nudge: nudge)] = nil }
    }

    /// The service was changed or removed.
    mutating func forgetAll() { answers = [:] }
}
