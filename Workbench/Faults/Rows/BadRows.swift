extension Fault {
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
