import NudgedPreferences
import TestSupport
import Testing

@testable import Core

/// What one user can write into the app's tables, and what the daemon reads of it: bounded text, and never an error.
@Suite(.ownThreads) struct HostileValueLongTests {
    private static let absurd = "1e131071::numeric"
    private static func nested(_ levels: Int) -> String {
        "('{\"a\":' || repeat('[', \(levels)) || repeat(']', \(levels)) || '}')::jsonb"
    }
    private static func optedIn(_ members: String) -> String {
        "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object(\(members))"
    }

    /// A value as SQL, and what the policy says of it: nil where it is well-formed.
    private static let values: [(value: String, malformed: String?)] = [
        ("'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'", nil),
        (optedIn("'max_per_day', \(absurd)"), "max_per_day"),
        (optedIn("'weekday', round(1::numeric, 16383)"), "weekday"),
        (optedIn("'priority_keywords', jsonb_build_array('a', \(absurd))"), "priority_keywords"),
        ("(select jsonb_build_object('x', jsonb_agg(\(absurd))) from generate_series(1, 8500))", "object"),
        ("(select jsonb_build_object('x', jsonb_agg(\(absurd))) from generate_series(1, 2400))", "object"),
        ("(select jsonb_object_agg('k' || n, \(absurd)) from generate_series(1, 3000) n)", "object"),
        ("to_jsonb(\(absurd))", "object"),
        ("jsonb_build_array(\(absurd))", "object"),
        ("'[1, 2]'", "object"), ("'\"x\"'", "object"), ("'true'", "object"),
        (nested(3000), "object"),
        ("jsonb_build_object('x', repeat('a', 10000000))", "object"),
        ("jsonb_build_object('x', repeat('a', 70000))", "object"),
        (optedIn("'x', repeat('a', 60000)"), nil),
        (optedIn("'priority_keywords', jsonb_build_array(repeat('é', 60000))"), nil),
    ]

    @Test(arguments: values.indices) func preferences_whenHostile_areBoundedAndMalformed(index: Int) async throws {
        let fixture = try await F()
        let (value, malformed) = Self.values[index]
        try fixture.sql(
            """
            alter table public.context_profiles drop constraint notification_preferences_size, drop constraint nudge_context_size;
            insert into public.context_profiles (user_id, notification_preferences, nudge_context) values (\(F.quoted(1)), \(value), \(value))
            """
        )
        let text = try fixture.sql("select nudged.preferences_text(preferences) from nudged.recipient")
        #expect(text.utf8.count <= 4 * 65_537)
        let found = Preferences(parsing: text).malformed
        if let malformed {
            #expect(found?.contains(malformed) == true, "\(found ?? "well-formed"): \(text.prefix(100))")
        } else {
            #expect(found == nil, "\(text.prefix(100))")
        }
        let isShort = "select coalesce(length(nudged.context_text(context)), 0) <= 8193 from nudged.recipient"
        try fixture.expect(isShort, "t")
    }
}
