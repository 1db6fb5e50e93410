import Testing

@testable import Store

/// Statements that exist twice, for those who may pass over held rows and those who may not: SQL in files shares no text, so what they have in common
/// is held equal here.
@Suite struct QueryTests {
    private static func text(_ query: Query) -> String {
        query.sql.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")
    }

    @Test(arguments: [
        (Query.drain, Query.drainFree, "latest as materialized ("), (.claimTaken, .claimFree, "\n  and due_at <= $2"),
    ])
    func query_whenItPassesOverHeldRows_isOtherwiseTheSame(one: Query, other: Query, from start: String) throws {
        let tails = try [one, other].map { query in
            let text = Self.text(query)
            return text[try #require(text.firstRange(of: start)).lowerBound...]
        }
        #expect(tails[0] == tails[1])
        #expect(tails[0].count > 200)
    }
}
