import NudgedPreferences
import Seeded
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Hostile values, drawn for every column that a user can write, in tables of the app's without limits: the others are claimed, soon, and what is read
/// of the user is bounded.
@Suite(.ownThreads) struct HostileDrawLongTests {
    private static let users = 40
    private static let columns: [(table: String, name: String, draw: @Sendable (inout SplitMix64) -> String)] = [
        ("context_profiles", "notification_preferences", { json(&$0) }),
        ("context_profiles", "nudge_context", { json(&$0) }),
        ("context_profiles", "timezone", { text(&$0) }),
        ("context_profiles", "first_session_complete", { $0.pick(["null", "true", "false"]) }),
        ("push_tokens", "device_token", { text(&$0) }),
        ("push_tokens", "platform", { text(&$0) }),
        ("push_tokens", "environment", { text(&$0) }),
        ("push_tokens", "topic", { text(&$0) }),
        ("push_tokens", "created_at", { instant(&$0) }),
        ("push_tokens", "updated_at", { instant(&$0) }),
    ]

    @Test(arguments: Seeds.all) func claim_whenAnyColumnIsHostile_servesTheOthers(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create table public.context_profiles (
                user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean, timezone text, nudge_context jsonb
            );
            create table public.push_tokens (
                user_id uuid, device_token text, platform text default 'ios', created_at timestamptz, updated_at timestamptz, environment text, topic text
            );
            create index on public.push_tokens (user_id)
            """
        )
        try await fixture.migrate()
        try fixture.seed(1...Self.users)
        for _ in 1...12 {
            let attacker = random.int(1...Self.users)
            var written: [String] = []
            for _ in 1...random.int(1...3) {
                let column = random.pick(Self.columns)
                let value = column.draw(&random)
                written.append("\(column.name) = \(value)")
                // The app's own write goes through, whatever it is.
                try fixture.sql(
                    "update public.\(column.table) set \(column.name) = \(value) where user_id = \(F.quoted(attacker))"
                )
            }
            let what: Comment = "seed \(seed): \(written.joined(separator: ", "))"
            let member = try await fixture.member()
            #expect(try await fixture.store.drain(member: member, ranges: F.ranges, limit: 100, now: F.now) <= 3, what)
            let began = ContinuousClock.now
            let claim = try await fixture.store.claimed(100)
            #expect(ContinuousClock.now - began < .seconds(15), what)
            let others = Set((1...Self.users).filter { $0 != attacker }.map(F.user))
            #expect(others.isSubset(of: claim.users.map(\.userID)), what)
            #expect(claim.refused.allSatisfy { $0.userID == F.user(attacker) }, what)
            if let user = claim.users.first(where: { $0.userID == F.user(attacker) }) {
                #expect((user.preferences?.utf8.count ?? 0) <= 4 * 65_537, what)
                #expect((user.context?.utf8.count ?? 0) <= 4 * 8_193, what)
                #expect((user.timezone?.utf8.count ?? 0) <= 1_024, what)
                for device in user.devices {
                    #expect(device.token.utf8.count <= 4_096 && (device.topic?.utf8.count ?? 0) <= 1_024, what)
                }
                if let text = user.preferences { _ = Preferences(parsing: text) }
            }
            // The next one starts from a user like the others.
            try fixture.sql(
                """
                delete from nudged.member;
                delete from public.context_profiles; delete from public.push_tokens; delete from nudged.person
                """
            )
            try fixture.seed(1...Self.users)
        }
    }

    // MARK: What is drawn, as SQL

    private static func size(_ random: inout SplitMix64) -> Int {
        random.pick([0, 1, 60, 255, 256, 511, 512, 513, 2_000, 65_536, 65_537, 300_000, 3_000_000, 20_000_000])
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let piece = random.pick([
            "'a'", "' '", "'é'", "'😀'", "chr(1)", "chr(8238)", "'\"'", "'\\'", "'{'", "'ios'", "'Europe/Berlin'",
            "chr(1114109)",
        ])
        return random.chance(10) ? "null" : "repeat(\(piece), \(size(&random) / 4 + random.int(0...2)))"
    }

    private static func instant(_ random: inout SplitMix64) -> String {
        random.pick([
            "null", "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59'", "'1970-01-01'",
            "now() + interval '1000 years'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'",
        ])
    }

    private static func json(_ random: inout SplitMix64, _ depth: Int = 0) -> String {
        let key = random.pick([
            "'x'", "'max_per_day'", "'weekday'", "'frequency'", "'timezone'", "'priority_keywords'", "'check_in_time'",
            "''", "repeat('k', 70000)",
        ])
        switch random.int(0...(depth > 2 ? 4 : 9)) {
        case 0:
            return
                "to_jsonb(\(random.pick(["1e131071", "-1e131071", "1e-16383", "1e308", "0.5", "9223372036854775808"]))::numeric)"
        case 1: return "to_jsonb(\(text(&random))::text)"
        case 2: return random.pick(["'null'::jsonb", "'true'::jsonb", "'{}'::jsonb", "'[]'::jsonb", "null::jsonb"])
        case 3: return "(select jsonb_agg('1e131071'::numeric) from generate_series(1, \(random.int(1...9_000))))"
        case 4:
            let levels = random.int(1...6_000)
            return "('{\"a\":' || repeat('[', \(levels)) || repeat(']', \(levels)) || '}')::jsonb"
        case 5: return "(select jsonb_object_agg('k' || n, n) from generate_series(1, \(random.int(1...50_000))) n)"
        case 6: return "jsonb_build_array(\(json(&random, depth + 1)), \(json(&random, depth + 1)))"
        default:
            return
                "('{\"check_ins_enabled\": true, \"frequency\": \"daily\"}'::jsonb || jsonb_build_object(\(key), \(json(&random, depth + 1))))"
        }
    }
}
