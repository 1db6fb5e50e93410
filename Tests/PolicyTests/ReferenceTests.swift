import JSON
import Policy
import TestSupport
import Testing

/// The vectors, and the comparison with a second reading of the page that shares no line with this one.
struct ReferenceTests {
    @Test func decide_whenVectors_isEqual() throws {
        let vectors = try Fixture.vectors()
        #expect(vectors.count == 617 + 600)
        for vector in vectors {
            let (question, answer) = (try JSONValue(parsing: vector), try Fixture.answer(vector))
            let expected = try #require(question["expect"])
            let difference = Fixture.difference(answer, expected)
            #expect(difference == nil, "\(vector)\n\(answer)")
            #expect(answer["id"] == question["id"])
            guard case .object(let object) = answer else { continue }
            let keys = ["id", "action", "reason", "next_at", "slot", "urgent", "valid_until", "trace"]
            #expect(object.members.map(\.key) == keys)
        }
    }

    @Test func reference_whenVectors_isEqual() throws {
        let vectors = try Fixture.vectors()
        let answers = try Fixture.reference(vectors)
        #expect(answers.count == vectors.count)
        for (vector, answer) in zip(vectors, answers) {
            let expected = try #require(try JSONValue(parsing: vector)["expect"])
            #expect(Fixture.difference(answer, expected) == nil, "\(vector)\n\(answer)")
        }
    }

    @Test(arguments: [Seeds.extra]) func decide_whenRandomQuestions_isEqualToReference(seed: UInt64) throws {
        var questions = RandomQuestions(seed: seed)
        let lines = (0..<2500).map { JSONValue.object(questions.line($0)).document }
        let references = try Fixture.reference(lines)
        #expect(references.count == lines.count)
        var reasons: [String: Int] = [:]
        for (line, reference) in zip(lines, references) {
            let answer = try Fixture.answer(line)
            let difference = Fixture.difference(answer, reference)
            #expect(difference == nil, "seed \(seed), \(difference ?? "")\n\(line)\n\(answer)\n\(reference)")
            if case .string(let reason)? = answer["reason"] { reasons[reason, default: 0] += 1 }
        }
        // Every reason comes up, or the questions are too tame to prove much.
        #expect(reasons.count == Reason.allCases.count - 2, "all but two of the planner, seed \(seed): \(reasons)")
    }
}

@Suite struct ReferenceLongTests {
    @Test(arguments: Seeds.fixed) func decide_whenRandomQuestions_isEqualToReference(seed: UInt64) throws {
        try ReferenceTests().decide_whenRandomQuestions_isEqualToReference(seed: seed)
    }
}
