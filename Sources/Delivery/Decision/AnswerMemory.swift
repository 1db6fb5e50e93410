import Planning
import struct FoundationEssentials.UUID

/// What the decision service said of nudges that have not gone yet. One that is decided again with the same words (Apple is away, somebody holds a row, the profile
/// changes all the time) is not asked of again: else it would use up its user's analyses, and end by a fallback against what the service had said.
struct AnswerMemory: Sendable {
    private struct Place: Hashable {
        let userID: UUID
        let nudge: NudgeIdentity
    }

    private struct Answer {
        /// Of the question's bytes: the texts are not kept.
        let question: UInt64
        let answer: DecisionAnswer
        /// CLOCK_BOOTTIME milliseconds.
        let until: Int64
    }

    private var answers: [Place: Answer] = [:]

    /// As long as an analysis counts.
    private static let hour: Int64 = 3_600_000
    private static let most = 20_000

    /// What was said of this very question; nil: it is to be asked.
    func answer(_ question: DecisionQuestion, _ nudge: NudgeIdentity, now: Int64) -> DecisionAnswer? {
        guard let known = answers[Place(userID: question.userID, nudge: nudge)], known.until > now,
            known.question == question.json.stableHash
        else { return nil }
        return known.answer
    }

    mutating func remember(_ answer: DecisionAnswer, to question: DecisionQuestion, _ nudge: NudgeIdentity, now: Int64)
    {
        if answers.count >= Self.most { answers = answers.filter { $0.value.until > now } }
        // So many wait: the oldest hour's worth is asked again.
        if answers.count >= Self.most { answers = [:] }
        answers[Place(userID: question.userID, nudge: nudge)] = Answer(
            question: question.json.stableHash,
            answer: answer,
            until: now + Self.hour
        )
    }

    /// It went, or ended.
    mutating func forget(_ user: UUID, _ nudge: NudgeIdentity) {
        if !answers.isEmpty { answers[Place(userID: user, nudge: nudge)] = nil }
    }

    /// The service is another, or none.
    mutating func forgetAll() { answers = [:] }
}
