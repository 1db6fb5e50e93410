import Foundation
import Testing

@testable import Store

/// The statements of docs/CLIENT.md, on a migrated database.
struct GuideStatementTests {
    private static let device = String(repeating: "ab", count: 32)

    /// The blocks of SQL, in order: register, sign out, preferences.
    private func statements() throws -> [String] {
        let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../docs/CLIENT.md")
        let blocks = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```sql\n").dropFirst()
        return blocks.compactMap { $0.components(separatedBy: "\n```").first }
    }

    private func register(_ user: Int, environment: String) throws -> String {
        """
        prepare register (uuid, text, text, text, text) as \(try statements()[0])
        execute register (\(StoreFixture.quoted(user)), '\(Self.device)', 'ios', '\(environment)', null);
        """
    }

    @Test func registration_whenRepeated_renewsTheOneRow() async throws {
        let fixture = try await StoreFixture()
        #expect(try statements().count == 3)
        try fixture.sql(register(1, environment: "sandbox"))
        try fixture.sql("update public.push_tokens set created_at = '2026-01-01', updated_at = '2026-01-01'")
        try fixture.sql(register(1, environment: "production"))
        #expect(
            try fixture.sql(
                "select environment, topic is null, registered_at > now() - interval '1 hour', count(*) over () from nudged.device"
            ) == "production|t|t|1"
        )
    }

    @Test func signingOut_whenThePhoneIsAnothers_leavesTheirs() async throws {
        let fixture = try await StoreFixture()
        for user in 1...2 { try fixture.sql(register(user, environment: "production")) }
        try fixture.sql(
            "prepare leave (uuid, text) as \(statements()[1]) execute leave (\(StoreFixture.quoted(1)), '\(Self.device)');"
        )
        #expect(try fixture.sql("select user_id from nudged.device") == StoreFixture.quoted(2).filter { $0 != "'" })
    }

    @Test func preferences_whenWritten_areTheRecipients() async throws {
        let fixture = try await StoreFixture()
        try fixture.seed(1...2)
        try fixture.sql(
            """
            prepare wish (uuid, text) as \(statements()[2])
            execute wish (\(StoreFixture.quoted(2)), '{"check_ins_enabled":false,"frequency":"weekly"}');
            """
        )
        #expect(
            try fixture.lines("select preferences ->> 'frequency' from nudged.recipient order by user_id") == [
                "daily", "weekly",
            ]
        )
        // The daemon is told.
        #expect(try fixture.sql("select count(*) from nudged.touched") == "1")
    }
}
