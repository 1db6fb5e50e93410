import LocalPostgres
import Postgres

extension Fault {
    /// The older daemon is that of `--older`, or else this version. The newer one is this version with one migration
    /// more, so that there is always something to migrate.
    static let rollingUpgrade = Fault(name: "rolling-upgrade") { plan in
        let scenery = Scenery(answers: 30...60, inFlight: 8)
        return [
            plan.round("migrated under load", users: 500, scenery: scenery) { try await migratesUnderLoad($0) },
            plan.round("a later migration that asks for more", users: 250, scenery: scenery) { stage in
                let older = stage.workshop.older
                let running = try stage.start(["run"], binary: older)
                try await stage.awaitAccepted(10, by: running)
                let columns = "number, name, checksum, oldest"
                try await stage.sql("insert into nudged.migration (\(columns)) values (9999, 'later', 1, 9999)")
                let fresh = try stage.start(["run"], binary: older)
                for daemon in [running, fresh] { try await stage.awaitLine("install that version here", of: daemon) }
                try await stage.wait(for: "the intents to be settled") { try await stage.openIntents().isEmpty }
                // Their ranges are free for the newer version's daemons.
                try await stage.awaitShares([])
                let before = stage.taken.count
                try await stage.ends(try stage.start(["status"], binary: older), by: 78)
                if sent(fresh) != 0 { stage.fail("the new daemon worked on a schema that it doesn't know") }
                if stage.taken.count != before {
                    stage.fail("the running daemon worked on a schema that it doesn't know")
                }
                // The newer migration is removed, and both daemons go on by themselves.
                try await stage.sql("delete from nudged.migration where number = 9999")
                try await stage.serveAll([running, fresh])
                try await stage.ends(try stage.start(["migrate"]), by: 0)
                if stage.taken.count == before { stage.fail("no user was left to send to: the round tests nothing") }
            },
        ]
    }

    /// What a next version may bring: columns with defaults, a table, an index, an argument of a call.
    private static let next = [
        "NUDGED_NEXT_MIGRATION": """
        alter table nudged.person add column later text default 'x';
        alter table nudged.message add column later text;
        alter table nudged.delivery add column later text default 'x';
        alter table nudged.touched add column later text;
        create table nudged.later (user_id uuid primary key);
        alter table nudged.later enable row level security;
        create index person_later on nudged.person (user_id) where later <> 'x';
        drop function nudged_api.touch(uuid);
        create function nudged_api.touch(user_id uuid, later text default null) returns nudged.result
        language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
        begin
            insert into nudged.touched (user_id, later) values (touch.user_id, touch.later);
            return nudged.result_of();
        end
        $$;
        """
    ]

    /// The app's statements wait at most so long for a migration, in milliseconds: for its lock request, and for its work.
    private static let longestWait: Int64 = 2_000

    private static func migratesUnderLoad(_ stage: Stage) async throws {
        // These users become due when the migration is over.
        let later = "select user_id from public.context_profiles where uuid_hash(user_id) % 2 = 0"
        try await stage.sql(
            "delete from nudged.touched where user_id in (\(later)); update nudged.person set due_at = '2100-01-01' where user_id in (\(later))"
        )
        let older = try stage.start(["run"], binary: stage.workshop.older)
        try await stage.awaitAccepted(10, by: older)
        let newer = try stage.service(next)
        try await stage.awaitLine("pending, and this version can work without", of: newer)
        try await stage.awaitAccepted(10, by: newer)
        let end = End()
        let (calls, slowest) = try await withThrowingTaskGroup(of: (calls: Int, slowest: Int64).self) { group in
            for _ in 0..<2 { group.addTask { try await touch(stage, until: end) } }
            // A long transaction of the app, or a backup, holds the tables.
            let app = try await stage.connect()
            let migrating = try await app.transaction { transaction in
                let hold = Statement("hold", sql: "select count(*) from nudged.person, nudged.delivery")
                _ = try await transaction.run(hold)
                let migrating = try stage.start(["migrate"], next)
                try await stage.awaitLine("another session locks a table", of: migrating)
                let before = stage.taken.count
                try await stage.sql("select nudged_api.touch(user_id) from (\(later) order by 1 limit 20) l")
                try await stage.awaitAccepted(before + 10, by: older)
                return migrating
            }
            await app.close()
            try await stage.ends(migrating, by: 0)
            try await stage.awaitShares([32, 32])
            try await stage.sql("select nudged_api.touch(user_id, later => 'y') from (\(later)) l")
            try await stage.awaitAccepted(stage.taken.count + 20, by: newer)
            end.come()
            return try await group.reduce((0, 0)) { ($0.0 + $1.calls, max($0.1, $1.slowest)) }
        }
        try await stage.serveAll([older, newer])
        for (name, daemon) in [("older", older), ("newer", newer)] {
            if sent(daemon) == 0 { stage.fail("the \(name) daemon sent nothing") }
            // Of the others, two are about users' data.
            let events = ["migrations_missing", "preferences_malformed", "timezone_invalid"]
            for line in daemon.errorOutput.split(separator: "\n") where !events.contains(where: line.contains) {
                if line.contains("Z error ") || line.contains("Z warning ") {
                    stage.fail("the \(name) daemon: \(line)")
                }
            }
        }
        try await stage.expectNoDeadlocks()
        stage.note("\(calls) calls beside the migration, the slowest \(slowest) ms")
    }

    /// Calls nudged as the app does, by the call's old arguments.
    private static func touch(_ stage: Stage, until end: End) async throws -> (calls: Int, slowest: Int64) {
        var (calls, slowest): (Int, Int64) = (0, 0)
        let connection = try await stage.connect()
        while !end.hasCome {
            let begin = stage.now
            let call = Statement(
                "touch",
                sql:
                    "select nudged_api.touch(user_id) from nudged.person where user_id = $1::text::uuid and due_at < '2100-01-01'",
                parameters: [.text(stage.pick(stage.population.people).id)]
            )
            // Not tried again: the server measures this wait and the migration's, so a busy machine lengthens both.
            let limit = ("lock_timeout", "\(longestWait)")
            _ = try await connection.transaction([call], settings: [limit], timeout: Stage.net)
            slowest = max(slowest, stage.now - begin)
            calls += 1
            try await Task.sleep(for: .milliseconds(5))
        }
        await connection.close()
        return (calls, slowest)
    }
}
