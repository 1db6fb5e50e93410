import struct FoundationEssentials.UUID

/// The decision service's answers about nudges that are not sent yet. The same question gets the same answer without a
/// second call. This happens if Apple is unreachable, a row is held, or the profile changes often.
///
/// A second call would use up the user's analyses. In the end a fallback could contradict the service.
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
