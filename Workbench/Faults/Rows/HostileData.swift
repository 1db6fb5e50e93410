import Postgres

extension Fault {
    /// Preferences change between claim and write, as often as the server allows. What was committed before the intent
    /// counts, there is no deadlock, and no transaction of the app waits for the daemon.
    static let changingPreferences = Fault(name: "preferences-change") { plan in
        let (users, scenery) = (plan.pick(quick: 400, full: 2_000), Scenery(answers: 20...60, inFlight: 20))
        return plan.rounds(quick: 1, full: 3, users: users, scenery: scenery) { try await changes($0) }
    }

    private struct Changes: Sendable {
        var count = 0
        var slowest: Int64 = 0
        /// How often a change was tried again, because somebody held its row.
        var refused = 0
        var transactions: [String: String] = [:]
        var optedOut: [String: Moment] = [:]
    }

    private static let writers = 4

    private static func changes(_ stage: Stage) async throws {
        let end = End()
        try await logIntents(stage)
        let daemons = [try stage.service(), try stage.service()]
        let begin = stage.now
        let all = try await withThrowingTaskGroup(of: Changes.self) { group in
            for writer in 0..<writers { group.addTask { try await change(stage, writer, end) } }
            let third = "a third of the users to be sent to, despite the changes"
            try await stage.wait(for: third, every: .milliseconds(100)) {
                stage.now - begin > 6_000 && stage.taken.count > stage.population.people.count / 3
            }
            end.come()
            return try await group.reduce(into: Changes()) { sum, one in
                sum.count += one.count
                sum.slowest = max(sum.slowest, one.slowest)
                sum.refused += one.refused
                sum.transactions.merge(one.transactions) { first, _ in first }
                sum.optedOut.merge(one.optedOut) { $1 }
            }
        }
        let rate = Int64(all.count) * 1000 / max(1, stage.now - begin)
        try await stage.serveAll(daemons)
        try await check(stage, all)
        try await stage.expectNoDeadlocks()
        stage.note("\(rate) changes a second, \(all.refused) tried again, the slowest \(all.slowest) ms")
    }

    /// Changes preferences of its own share of the users. So only the daemon could hold a row, and then a change fails.
    private static func change(_ stage: Stage, _ writer: Int, _ end: End) async throws -> Changes {
        var changes = Changes()
        let connection = try await stage.connect()
        let people = stage.population.people.enumerated().filter { $0.offset % writers == writer }.map(\.element)
        while !end.hasCome {
            let person = stage.pick(people)
            let optsOut = stage.draw(400) == 0
            let patch =
                optsOut ? #"{"check_ins_enabled":false}"# : #"{"priority_keywords":["\#(stage.draw(1 << 62))"]}"#
            let begin = stage.now
            // 10 ms: the daemon must not hold a row that the app updates.
            let (rows, tries) = try await stage.asTheApp(
                """
                update public.context_profiles
                set notification_preferences = notification_preferences || $2::text::jsonb
                where user_id = $1::text::uuid and jsonb_typeof(notification_preferences) = 'object'
                returning pg_current_xact_id()::text
                """,
                [.text(person.id), .text(patch)],
                on: connection,
                waitingAtMost: 10
            )
            changes.slowest = max(changes.slowest, stage.now - begin)
            changes.count += 1
            changes.refused += tries - 1
            if optsOut, rows.count > 0, changes.transactions[person.id] == nil {
                changes.transactions[person.id] = try rows.text(0, 0)
            }
            if optsOut { changes.optedOut[person.id] = changes.optedOut[person.id] ?? Moment.now }
        }
        await connection.close()
        return changes
    }

    private static func logIntents(_ stage: Stage) async throws {
        try await stage.sql(
            """
            create table public.fault_intent (content bytea, user_id text, seen pg_snapshot);
            create function public.fault_intent() returns trigger language plpgsql security definer as $$ begin
                insert into public.fault_intent
                select u.content, u.person, pg_current_snapshot() from unnest(new.contents, new.user_ids) u (content, person);
                return null;
            end $$;
            create trigger fault_intent after insert on nudged.intent for each row execute function public.fault_intent()
            """
        )
    }

    /// Pushes whose intent could see that its user had opted out. This depends on no clock.
    private static func ignored(_ stage: Stage, _ all: Changes) async throws -> [String] {
        guard !all.transactions.isEmpty else { return [] }
        let values = all.transactions.map { "('\($0)', '\($1)')" }.joined(separator: ",")
        let seen = try await stage.lines(
            """
            select encode(i.content, 'hex') from public.fault_intent i join (values \(values)) o (person, transaction) on o.person = i.user_id
            where pg_visible_in_snapshot(o.transaction::xid8, i.seen)
            """
        )
        return Stage.pushes(seen).intersection(stage.taken.all.map(\.apnsID)).sorted()
    }

    /// Between intent and arrival are one more read of the touches and the network, and Apple's answer.
    private static func check(_ stage: Stage, _ all: Changes) async throws {
        let ignored = try await ignored(stage, all)
        if !ignored.isEmpty { stage.fail("\(ignored.count) pushes although their users had opted out: \(ignored[0])") }
        // A daemon that held rows while Apple answers would delay many more.
        if all.refused * 1000 > all.count { stage.fail("\(all.refused) of \(all.count) changes found a row held") }
        var latest: Int64 = 0
        for (push, machine) in stage.taken.timed {
            let user = stage.population.owners[push.token]?.id ?? ""
            guard let optedOut = all.optedOut[user], push.at > optedOut.at else { continue }
            latest = max(latest, machine - optedOut.machine)
        }
        if latest > 1_000 { stage.fail("a push came \(latest) ms after its user had opted out") }
        stage.note("\(all.optedOut.count) opt-outs, the latest push \(latest) ms after one")
        stage.allow { $0.changed.formUnion(all.optedOut.keys) }
    }

    static let badRows = Fault(name: "bad-rows") { plan in
        let count = plan.pick(quick: 5_000, full: 200_000)
        return plan.once("\(count) bad rows", users: 150) { stage in
            try await stage.sql(insert(count))
            let begin = stage.now
            let process = try stage.service(["SCHEDULE_BATCH": "500"])
            try await stage.awaitIdle()
            let last = stage.taken.all.map(\.at).max() ?? begin
            func bad(_ rows: String) async throws -> Int {
                try await stage.number("select count(*) from \(rows) and user_id::text like 'bad%'")
            }
            let evaluated = try await bad("nudged.person where evaluated_at is not null and due_at > now()")
            if evaluated != count { stage.fail("\(evaluated) of \(count) users with bad rows were evaluated") }
            let rejected = try await bad("nudged.delivery where outcome = 'rejected' and reason = 'invalid_token'")
            if rejected != count / 12 {
                stage.fail("\(rejected) bad tokens are recorded as rejected, \(count / 12) were expected")
            }
            let kept = try await bad("public.push_tokens where true")
            if kept != count { stage.fail("tokens of bad rows were deleted: \(kept) of \(count) left") }
            // Good rows must not wait for all bad ones, so both times are noted.
            let all = "all rows evaluated in \(Double((stage.now - begin) / 100) / 10) s"
            stage.note("good rows sent in \(Double((last - begin) / 100) / 10) s, \(all)")
            try await stage.stop(process)
        }
    }

    /// Twelve kinds of rows in turn, each with an invalid token; the last is due. Some values have half a megabyte.
    private static func insert(_ count: Int) -> String {
        """
        -- As in an app's own table, which has no such limits.
        alter table public.context_profiles drop constraint if exists notification_preferences_size, drop constraint if exists timezone_length;
        create function public.bad_id(n integer) returns uuid language sql immutable as $$ select ('bad' || lpad(to_hex(n), 29, '0'))::uuid $$;
        insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
        select public.bad_id(n), case n % 12
            when 1 then '[1, 2]' when 2 then '"on"' when 3 then 'true' when 4 then '1e400'
            when 5 then '{"check_ins_enabled": "yes", "frequency": "daily"}'
            when 6 then '{"check_ins_enabled": true, "frequency": "daily", "quiet_hours_start": "22:00"}'
            when 7 then '{"check_ins_enabled": true, "frequency": "d\\u00e4ily\\u202e\\ud83d\\ude00"}'
            when 8 then '{"check_ins_enabled": true, "frequency": "daily", "timezone": "../../etc/passwd"}'
            when 10 then '{"check_ins_enabled": true, "frequency": "daily", "check_in_time": "\\u0661\\u0660:00"}'
            when 11 then '{"check_ins_enabled": true, "frequency": "daily", "note": "' || repeat('\\u00e4', case when n < 400 then 170000 else 10 end) || '", "weekday": 9}'
            else '{"check_ins_enabled": true, "frequency": "daily", "timezone": "UTC", "quiet_hours_start": "00:00", "quiet_hours_end": "00:00", "check_in_time": "'
                || to_char((now() - interval '90 minutes') at time zone 'UTC', 'HH24:MI') || '"}'
            end::jsonb, true, case when n % 2 = 0 then 'Mars/Base' when n < 100 then repeat('Z/', 500000) end
        from generate_series(1, \(count)) n where n % 12 <> 9;
        insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
        select public.bad_id(n), '{"check_ins_enabled": true, "frequency": "daily"}', true, U&'\\+01F600/\\202E'
        from generate_series(1, \(count)) n where n % 12 = 9;
        insert into public.push_tokens (user_id, device_token, created_at, updated_at)
        select public.bad_id(n), case when n % 3 = 0 then 'not hex ' || n when n % 3 = 1 then U&'\\+01F600' || n else 'zz' || n || repeat('x', 300) end,
            '2026-01-01', '2026-01-01'
        from generate_series(1, \(count)) n
        """
    }
}
