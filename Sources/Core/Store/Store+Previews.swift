package import struct FoundationEssentials.UUID
package import Postgres
package import TimeZones

/// An app's question about what would become of a message: a row of `nudged.preview`.
package struct PreviewQuestion: Sendable {
    package let userID: UUID
    /// As it would wait if it were sent. Its id is the question's.
    package let message: PendingMessage
}

extension Store {
    /// Open questions about users of these ranges, the oldest first.
    ///
    /// - Parameter inHand: questions that the daemon is answering.
    package func openPreviews(
        ranges: [Int32],
        inHand: Set<UUID>,
        limit: Int
    ) async throws(PostgresError) -> [PreviewQuestion] {
        let rows = try await one(
            claims,
            .openPreviews,
            [.int4Array(ranges), .uuidArray(Array(inHand)), .int8(Int64(limit))]
        )
        var questions: [PreviewQuestion] = []
        for row in 0..<rows.count {
            questions.append(PreviewQuestion(userID: try rows.uuid(row, 0), message: try PendingMessage(rows, row)))
        }
        return questions
    }

    /// Answers a question, unless it was answered or deleted meanwhile.
    package func answer(_ question: PreviewQuestion, _ json: String) async throws(PostgresError) {
        _ = try await one(
            records,
            .answerPreview,
            [.uuid(question.userID), .uuid(question.message.id), .text(json.asciiJSON)],
            settings: Self.impatient
        )
    }

    /// Deletes questions and answers that nobody reads any more.
    package func prunePreviews() async throws(PostgresError) {
        _ = try await one(records, .prunePreviews, [], settings: Self.impatient)
    }

    /// When the decision service was asked about a user. A preview reads this and adds nothing to it.
    package func analysed(_ user: UUID) async throws(PostgresError) -> [Instant] {
        let rows = try await one(records, .analysed, [.uuid(user)])
        guard rows.count > 0 else { return [] }
        return try rows.timestampArray(0, 0).compactMap(Instant.init(microseconds:))
    }
}
