import TestSupport
import Testing

@testable import Core

/// The app's table of devices is partitioned, or has children. Row addresses repeat among its parts.
@Suite(.ownThreads) struct PartitionedDeviceTests {
    static let columns = """
        user_id uuid not null, device_token text not null, platform text not null default 'ios',
        created_at timestamptz not null default '2026-01-01', updated_at timestamptz not null default '2026-01-01',
        environment text, topic text
        """
    static let layouts = [
        """
        create table public.push_tokens (\(columns)) partition by hash (device_token);
        create table public.p0 partition of public.push_tokens for values with (modulus 4, remainder 0);
        create table public.p1 partition of public.push_tokens for values with (modulus 4, remainder 1);
        create table public.p2 partition of public.push_tokens for values with (modulus 4, remainder 2);
        create table public.p3 partition of public.push_tokens for values with (modulus 4, remainder 3);
        """,
        """
        create table public.push_tokens (\(columns)) partition by list (environment);
        create table public.p0 partition of public.push_tokens for values in ('sandbox');
        create table public.p1 partition of public.push_tokens default;
        """,
        """
        create table public.push_tokens (\(columns));
        create table public.p0 () inherits (public.push_tokens);
        """,
    ]

    /// One token in each part of the table, at the same address in each.
    private static func seed(_ fixture: F, layout: Int) throws {
        let tokens = (1...16).map { "('\(F.token($0))')" }.joined(separator: ", ")
        try fixture.sql(
            layout == 2
                ? """
                insert into public.push_tokens (user_id, device_token) select \(F.quoted(1)), t from (values \(tokens)) v (t);
                insert into public.p0 (user_id, device_token) select \(F.quoted(1)), 'child' || t from (values \(tokens)) v (t)
                """
                : """
                insert into public.push_tokens (user_id, device_token, environment)
                select \(F.quoted(1)), t, e from (values \(tokens)) v (t), (values ('sandbox'), (null)) w (e)
                where \(layout) = 1 or e is null
                """
        )
    }

    @Test(arguments: layouts.indices) func forgotten_whenRowAddressesRepeat_isOneDevice(layout: Int) async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(Self.layouts[layout])
        try await fixture.migrate()
        try Self.seed(fixture, layout: layout)
        let all = try Set(
            fixture.lines("select tableoid::regclass || ' ' || ctid || ' ' || device_token from public.push_tokens")
        )
        let dead = F.token(3)
        let topic = "com.example.app"
        let call = "select nudged.forget_device(\(F.quoted(1)), '\(dead)', 'production', '\(topic)', now())"
        #expect(try fixture.sql(call) == "t")
        let left = try Set(
            fixture.lines("select tableoid::regclass || ' ' || ctid || ' ' || device_token from public.push_tokens")
        )
        let gone = all.subtracting(left)
        #expect(gone.count == 1 && gone.first?.hasSuffix(" " + dead) == true, "\(gone)")
        #expect(try fixture.sql(call) == "f")
    }
}
