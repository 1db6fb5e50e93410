import LocalPostgres
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

    /// A value as SQL, and what the policy says of it: nil where it is well-formed.
    private static let values: [(value: String, malformed: String?)] = [
        ("'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'", nil),
        (
            "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object('max_per_day', \(absurd))",
            "max_per_day"
        ),
        (
            "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object('weekday', round(1::numeric, 16383))",
            "weekday"
        ),
        (
            "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object('priority_keywords', jsonb_build_array('a', \(absurd)))",
            "priority_keywords"
        ),
        ("(select jsonb_build_object('x', jsonb_agg(\(absurd))) from generate_series(1, 8500))", "object"),
        ("(select jsonb_build_object('x', jsonb_agg(\(absurd))) from generate_series(1, 2400))", "object"),
        ("(select jsonb_object_agg('k' || n, \(absurd)) from generate_series(1, 3000) n)", "object"),
        ("to_jsonb(\(absurd))", "object"),
        ("jsonb_build_array(\(absurd))", "object"),
        ("'[1, 2]'", "object"), ("'\"x\"'", "object"), ("'true'", "object"),
        (nested(3000), "object"),
        ("jsonb_build_object('x', repeat('a', 10000000))", "object"),
        ("jsonb_build_object('x', repeat('a', 70000))", "object"),
        (
            "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object('x', repeat('a', 60000))",
            nil
        ),
        (
            "'{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object('priority_keywords', jsonb_build_array(repeat('é', 60000)))",
            nil
        ),
    ]

    private func write(_ value: String, _ fixture: F) throws {
        try fixture.sql(
            """
            alter table public.context_profiles drop constraint notification_preferences_size, drop constraint nudge_context_size;
            insert into public.context_profiles (user_id, notification_preferences, nudge_context) values (\(F.quoted(1)), \(value), \(value))
            """
        )
    }

    @Test(arguments: values.indices) func preferences_whenHostile_areBoundedAndMalformed(index: Int) async throws {
        let fixture = try await F()
        let (value, malformed) = Self.values[index]
        try write(value, fixture)
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

    /// json and text are text as it was written.
    @Test(arguments: ["json", "text", "varchar"]) func preferences_whenOfAnotherType_areBounded(type: String)
        async throws
    {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create table public.context_profiles (user_id uuid primary key, notification_preferences \(type), nudge_context \(type));
            insert into public.context_profiles select \(F.quoted(1)), v.words::\(type), v.words::\(type)
            from (select '{"check_ins_enabled": true, "x": "' || repeat('a', 1000000) || '"}') as v (words);
            insert into public.context_profiles values (\(F.quoted(2)), '{"a":  1}', '{"b":  2}'), (\(F.quoted(3)), null, null)
            """
        )
        try await fixture.migrate()
        try fixture.expect(
            "select length(nudged.preferences_text(preferences)) <= 65537, nudged.context_text(context) from nudged.recipient order by user_id",
            ["t|", #"t|{"b":  2}"#, "|"]
        )
        let second = "select nudged.preferences_text(preferences) from nudged.recipient offset 1 limit 1"
        try fixture.expect(second, #"{"a":  1}"#)
    }

    /// Only texts and whole numbers can fill a placeholder.
    @Test func context_whenLargeOrMixed_keepsWhatATemplateCanTake() async throws {
        let fixture = try await F()
        try write(
            "jsonb_build_object('a', 'x', 'b', 7000000, 'c', 1.5, 'd', \(Self.absurd), 'e', jsonb_build_array(\(Self.absurd)), 'f', repeat('y', 2000))",
            fixture
        )
        let kept = "select nudged.context_text(context)::jsonb - 'f' from nudged.recipient"
        try fixture.expect(kept, #"{"a": "x", "b": 7000000}"#)
    }

    /// A table that was found has no limits: what is too long for a platform is none.
    @Test func devices_whenAPlatformIsHuge_areNone() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create table public.push_tokens (user_id uuid, device_token text, platform text);
            insert into public.push_tokens select \(F.quoted(1)), 'aa', repeat('ios', 3000000) from generate_series(1, 5);
            insert into public.push_tokens values (\(F.quoted(1)), 'bb', 'iOS')
            """
        )
        try await fixture.migrate()
        #expect(try fixture.lines("select token from nudged.device") == ["bb"])
    }

    /// Tables that nudged made refuse what no app means.
    @Test(arguments: [
        "update public.context_profiles set timezone = repeat('x', 256)",
        "update public.context_profiles set notification_preferences = jsonb_build_object('x', repeat('a', 300000))",
        "update public.context_profiles set nudge_context = jsonb_build_object('x', repeat('a', 40000))",
        "update public.push_tokens set platform = repeat('x', 33)",
        "update public.push_tokens set device_token = repeat('x', 513)",
        "update public.push_tokens set environment = repeat('x', 33)",
        "update public.push_tokens set topic = repeat('x', 256)",
    ]) func tables_whenAValueIsTooLong_refuseIt(statement: String) async throws {
        let fixture = try await F.withUsers(1...1)
        #expect(throws: LocalPostgresError.self) { try fixture.sql(statement) }
    }
}
