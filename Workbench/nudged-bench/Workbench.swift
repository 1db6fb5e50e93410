import Glibc
import LocalPostgres
import Logging
import Postgres
import Core
import Systemd

/// A private cluster with durable commits, and its users.
final class Workbench: Sendable {
    let cluster: LocalCluster
    let connection: ConnectionConfiguration
    let folder: String

    /// - Parameter settings: settings of the server, in addition to the benchmarks' own.
    init(settings: [String: String] = [:]) throws {
        let own = [
            "shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "30min", "synchronous_commit": "on",
        ]
        cluster = try LocalCluster(LocalCluster.Options(fsync: true, settings: own.merging(settings) { $1 }))
        try cluster.createDatabase(named: "bench")
        connection = try ConnectionConfiguration.parse(url: cluster.url(database: "bench"))
        folder = cluster.folder + "/apple"
        guard mkdir(folder, 0o700) == 0 else { throw BenchFile.Failure(path: folder) }
    }

    /// Makes the app's tables with `users` profiles in ten zones and one device each, then migrates like an operator.
    ///
    /// - Parameter due: whether every slot was ten minutes ago. If false, nobody is due for a day.
    func seed(users: Int, due: Bool) async throws {
        try cluster.sql(Self.appTables, database: "bench")
        try cluster.sql(Self.population(users), database: "bench")
        let migrator = Migrator(configuration: connection)
        _ = try await migrator.migrate()
        await migrator.close()
        if !due { try cluster.sql("update nudged.person set due_at = now() + interval '1 day'", database: "bench") }
        try cluster.sql("vacuum analyze", database: "bench")
        try cluster.sql("checkpoint", database: "bench")
    }

    func sql(_ sql: String) throws -> String { try cluster.sql(sql, database: "bench") }

    func stop() { cluster.stop() }

    private static let appTables = """
        create table public.context_profiles (
            user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean not null default true, timezone text
        );
        create table public.push_tokens (
            id uuid primary key default gen_random_uuid(), user_id uuid not null, device_token text not null,
            platform text not null default 'ios', created_at timestamptz not null default now(),
            updated_at timestamptz not null default now(), unique (user_id, device_token)
        );
        """

    /// Slots ten minutes ago in each user's zone, and no quiet hours, so that every user can be sent to at any time.
    private static func population(_ users: Int) -> String {
        """
        with zone as (
            select name, row_number() over (order by name) - 1 as number,
                to_char(now() at time zone name - interval '10 minutes', 'HH24:MI') as slot
            from pg_timezone_names where name in (
                'Europe/Paris', 'Europe/London', 'America/New_York', 'America/Los_Angeles', 'Asia/Tokyo', 'Asia/Kolkata',
                'Australia/Sydney', 'America/Sao_Paulo', 'Africa/Lagos', 'Pacific/Auckland'
            )
        )
        insert into public.context_profiles (user_id, notification_preferences, timezone)
        select gen_random_uuid(), jsonb_build_object(
            'check_ins_enabled', true, 'frequency', 'daily', 'timezone', zone.name, 'check_in_time', zone.slot,
            'quiet_hours_start', '00:00', 'quiet_hours_end', '00:00'
        ), null
        from generate_series(1, \(users)) n join zone on zone.number = n % (select count(*) from zone);
        insert into public.push_tokens (user_id, device_token, created_at, updated_at)
        select user_id, encode(sha256(user_id::text::bytea), 'hex'), now() - interval '30 days', now() - interval '30 days'
        from public.context_profiles;
        """
    }
}
