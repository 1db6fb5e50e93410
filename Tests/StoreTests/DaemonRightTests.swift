import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct DaemonRightTests {
    /// What a migrated database remembers of them.
    @Test func rights_areThoseOfTheMigrations() async throws {
        let fixture = try await F()
        let remembered = try fixture.lines(
            """
            select distinct regexp_replace(object, '^nudged\\.([a-z_]+).*$', '\\1') || ' ' || trim(p)
            from nudged.role_right, unnest(string_to_array(privileges, ',')) p where role = 'nudged_daemon'
            """
        )
        #expect(DaemonRight.all.count > 30)
        #expect(Set(remembered) == Set(DaemonRight.all.map { "\($0.object) \($0.privilege)" }))
    }

    @Test(arguments: [
        ("select nudged.allow('nudged_daemon', 'select, insert', 'nudged.person');", "person: select insert"),
        (
            "-- Why, and the daemon's.\nselect nudged.allow(\n    'nudged_daemon', 'execute', 'nudged.call(uuid, text)')",
            "call: execute"
        ),
        (
            "select nudged.allow('nudged_daemon', 'select, update (id), delete', 'nudged.a')",
            "a: select update (id) delete"
        ),
        (
            "select nudged.allow('nudged_daemon', 'execute',\n    'nudged.a(uuid, text)', 'nudged.b')",
            "a: execute, b: execute"
        ),
        ("select nudged.allow('nudged_app', 'execute', 'nudged.call')", ""),
        ("perform nudged.allow('nudged_daemon', 'select', 'nudged.a')", ""),
        ("create function nudged.allow(who text)", ""),
    ]) func statement_isReadWhereItAllowsTheDaemon(text: String, expected: String) {
        let found = DaemonRight.allowed(text).map { "\($0.object): \($0.privileges.joined(separator: " "))" }
        #expect(found.joined(separator: ", ") == expected)
    }
}
