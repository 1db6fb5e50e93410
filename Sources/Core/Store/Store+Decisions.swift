package import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// When the decision service was asked about a user, and whether it may be. Only the owner of the user's range reads
/// and writes the instants, so no daemon overwrites another's entry.
extension Store {
    /// When it was asked, in any order. A preview, which adds nothing to it, names no member.
    package func analysed(_ user: UUID, member: UUID? = nil) async throws(PostgresError) -> [Instant] {
        let rows = try await transaction(records, holding: member, [Query.analysed([.uuid(user)])])[0]
        // An erased user has no row.
        guard rows.count > 0 else { return [] }
        return try rows.timestampArray(0, 0).compactMap(Instant.init(microseconds:))
    }

    /// Records a question before it is asked: all instants that count, with the new one. False: the user was erased,
    /// and the question must not be asked.
    package func noteAnalysed(_ user: UUID, member: UUID, _ instants: [Instant]) async throws(PostgresError) -> Bool {
        let note = Query.noteAnalysed([.uuid(user), .timestampArray(instants.map(\.microseconds))])
        return try await transaction(records, holding: member, [note])[0].count > 0
    }

    /// The user's preferences now, as a claim reads them. nil: null, or the app has no such user, or several rows of them.
    package func preferences(of user: UUID) async throws(PostgresError) -> String? {
        let rows = try await one(records, .claimProfiles, [.uuidArray([user]), .int8(.max), .int8(2)])
        return rows.count == 1 ? try rows.textOrNull(0, 1) : nil
    }

    // MARK: Previews

    /// Open questions about users of these ranges, the oldest first, without those that the daemon is answering.
    package func openPreviews(
        ranges: [Int32],
        inHand: Set<UUID>,
        limit: Int
    ) async throws(PostgresError) -> [PreviewQuestion] {
        let parameters: [Parameter] = [.int4Array(ranges), .uuidArray(Array(inHand)), .int8(Int64(limit))]
        let rows = try await one(claims, .openPreviews, parameters)
        return try rows.map { row throws(PostgresError) in
            PreviewQuestion(userID: try rows.uuid(row, 0), message: try PendingMessage(rows, row))
        }
    }

    /// Answers a question, unless it was answered or deleted meanwhile.
    package func answer(_ question: PreviewQuestion, _ json: String) async throws(PostgresError) {
        let answer: [Parameter] = [.uuid(question.userID), .uuid(question.message.id), .text(json.asciiJSON)]
        _ = try await one(records, .answerPreview, answer, .usual)
    }

    /// Deletes questions and answers that nobody reads any more.
    package func prunePreviews() async throws(PostgresError) { _ = try await one(records, .prunePreviews, [], .usual) }
}

/// An app's question about what would become of a message: a row of `nudged.preview`.
package struct PreviewQuestion: Sendable {
    package let userID: UUID
    /// As it would wait if it were sent. Its id is the question's.
    package let message: PendingMessage
}
