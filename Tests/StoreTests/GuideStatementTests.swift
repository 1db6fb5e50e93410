import Foundation
import TestSupport
import Testing

@testable import Core

/// The statements of docs/CLIENT.md, on a migrated database.
@Suite(.ownThreads) struct GuideStatementTests {
    private static let device = String(repeating: "ab", count: 32)

    /// The blocks of SQL, in order: register, sign out, preferences.
    private func statements() throws -> [String] {
        let blocks = try Checkout.text("docs/CLIENT.md").components(separatedBy: "```sql\n").dropFirst()
        return blocks.compactMap { $0.components(separatedBy: "\n```").first }
    }

    /// A session of a signed-in user of the app.
    private func session(_ user: Int, _ text: String) -> String {
        "set request.jwt.claim.sub = \(F.quoted(user)); set role authenticated; \(text); reset role;"
    }

    private func register(_ user: Int, environment: String) throws -> String {
        session(
            user,
            """
            prepare register (text, text, text, text, text, text) as \(try statements()[0])
            execute register ('\(Self.device)', 'ios', '\(environment)', null, 'Europe/Paris', 'fr');
            deallocate register
            """
        )
    }

    @Test func registration_whenRepeated_renewsTheOneRow() async throws {
        let fixture = try await F.onSupabase()
        #expect(try statements().count == 3)
        try fixture.sql(register(1, environment: "sandbox"))
        try fixture.sql("update public.push_tokens set created_at = '2026-01-01', updated_at = '2026-01-01'")
        try fixture.sql(register(1, environment: "production"))
        try fixture.expect(
            "select environment, topic is null, registered_at > now() - interval '1 hour', count(*) over () from nudged.device",
            "production|t|t|1"
        )
    }

    @Test func signingOut_whenThePhoneIsAnothers_leavesTheirs() async throws {
        let fixture = try await F.onSupabase()
        let leave = "prepare leave (text) as \(try statements()[1]) execute leave ('\(Self.device)'); deallocate leave"
        try fixture.sql(register(1, environment: "production") + register(2, environment: "production"))
        #expect(try fixture.sql(session(1, leave)) == "(,0,0,{})")
        #expect(try fixture.sql("select user_id from nudged.device") == F.quoted(2).filter { $0 != "'" })
        #expect(try fixture.sql(session(2, leave)) == "(,1,0,{})")
        #expect(try fixture.sql("select count(*) from nudged.device") == "0")
    }

    @Test func preferences_whenWritten_areTheRecipients() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            prepare wish (uuid, text) as \(statements()[2])
            execute wish (\(F.quoted(2)), '{"check_ins_enabled":false,"frequency":"weekly"}');
            """
        )
        let wishes = "select preferences ->> 'frequency' from nudged.recipient order by user_id"
        try fixture.expect(wishes, ["daily", "weekly"])
        // The daemon is told.
        #expect(try fixture.sql("select count(*) from nudged.touched") == "1")
    }
}
