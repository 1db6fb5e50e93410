import Seeded
import TimeZones

/// A policy clock that the script sets. The daemon takes its clock from the database. Here the database's own functions
/// are replaced. Leases follow them too, as when the host's clock steps.
struct SteppedClock: Sendable {
    struct Sleeper: Sendable {
        var zone: String
        var minute: Int
        var quiet: Night?
    }

    /// A row of the record. `at`: seconds since 1970 by the stepped clock.
    typealias Entry = (number: Int, slot: LocalDate, at: Int64, outcome: String)

    let stage: Stage
    let sleepers: [Sleeper]

    /// Installs the clock, `offset` seconds from the host's, and the users. The round is compared by this clock, unless
    /// the script changes the zone files.
    static func start(_ stage: Stage, offset: Int64, _ sleepers: [Sleeper], zones: Bool = true) async throws
        -> SteppedClock
    {
        try await stage.sql(
            """
            create schema faulted;
            create table faulted.step (seconds bigint not null);
            insert into faulted.step values (\(offset));
            grant usage on schema faulted to public;
            grant select on faulted.step to public;
            set allow_system_table_mods = on;
            alter function pg_catalog.clock_timestamp() rename to clock_timestamp_of_host;
            alter function pg_catalog.statement_timestamp() rename to statement_timestamp_of_host;
            create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
            as $$ select pg_catalog.clock_timestamp_of_host() + (select seconds from faulted.step) * interval '1 second' $$;
            create function pg_catalog.statement_timestamp() returns timestamptz language sql stable
            as $$ select pg_catalog.statement_timestamp_of_host() + (select seconds from faulted.step) * interval '1 second' $$;
            reset allow_system_table_mods;
            alter table nudged.touched alter column at set default pg_catalog.clock_timestamp();
            delete from public.push_tokens;
            delete from public.context_profiles;
            delete from nudged.touched;
            delete from nudged.person;
            """
        )
        let rows = sleepers.enumerated().map { number, sleeper in
            let quiet = sleeper.quiet ?? Night(start: 0, end: 0)
            let times = [sleeper.minute, quiet.start, quiet.end].map { "'\(Night.clock($0))'" }
            return "(\(number), '\(sleeper.zone)', \(times.joined(separator: ", ")))"
        }
        try await stage.sql(
            """
            create table faulted.sleeper (number integer primary key, zone text, slot text, quiet_start text, quiet_end text);
            insert into faulted.sleeper values \(rows.joined(separator: ","));
            create function faulted.id(n integer) returns uuid language sql immutable as $$ select ('51ee9e70-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete)
            select faulted.id(number), jsonb_build_object('check_ins_enabled', true, 'frequency', 'daily', 'timezone', zone, 'check_in_time', slot,
                'quiet_hours_start', quiet_start, 'quiet_hours_end', quiet_end), true from faulted.sleeper;
            insert into public.push_tokens (user_id, device_token, created_at, updated_at)
            select faulted.id(number), lpad(to_hex(number), 64, 'a'), '2025-01-01', '2025-01-01' from faulted.sleeper
            """
        )
        let clock = SteppedClock(stage: stage, sleepers: sleepers)
        stage.compare { _ in try await clock.check(zones: zones) }
        return clock
    }

    /// Sets the clock, and waits until a daemon has seen that and done what is due.
    func step(to offset: Int64) async throws {
        try await stage.sql("update faulted.step set seconds = \(offset)")
        try await settle()
    }

    func settle() async throws {
        try await stage.awaitLook(after: 400)
        let idle = Stage.idle.replacing("now()", with: "clock_timestamp()")
        try await stage.wait(for: "nobody to be due by the stepped clock", every: .milliseconds(50)) {
            try await stage.sql(idle) == "t"
        }
    }

    func entries() async throws -> [Entry] {
        try await stage.rows(
            """
            select s.number, d.slot, extract(epoch from d.attempted_at)::bigint, d.outcome
            from faulted.sleeper s join nudged.delivery d on d.user_id = faulted.id(s.number) order by d.attempted_at, 1
            """
        ).compactMap { row -> Entry? in
            guard let number = Int(row[0]), let slot = LocalDate(iso: row[1]), let at = Int64(row[2])
            else { return nil }
            return (number, slot, at, row[3])
        }
    }

    func accepted() async throws -> [Int: [Entry]] {
        Dictionary(grouping: try await entries().filter { $0.outcome == "accepted" }, by: \.number)
    }

    // MARK: What must hold, whatever the clock did

    static func earliest(_ sleeper: Sleeper, _ slot: LocalDate, _ zone: Zone) -> Int64 {
        let at = zone.resolve(slot, secondOfDay: sleeper.minute * 60, .first).seconds
        return quietEnd(sleeper, at, slot, zone) ?? at
    }

    /// The end of the quiet hours at an instant; nil if it is not quiet.
    static func quietEnd(_ sleeper: Sleeper, _ at: Int64, _ slot: LocalDate, _ zone: Zone) -> Int64? {
        guard let quiet = sleeper.quiet, quiet.start != quiet.end else { return nil }
        for date in [slot - 1, slot, slot + 1] {
            let start = zone.resolve(date, secondOfDay: quiet.start * 60, .first).seconds
            let last = quiet.end > quiet.start ? date : date + 1
            let end = zone.resolve(last, secondOfDay: quiet.end * 60, .last).seconds
            if start <= at, at < end { return end }
        }
        return nil
    }

    /// Checks record (by the stepped clock) and Apple's log: nothing twice, early, stale or in quiet hours.
    private func check(zones: Bool) async throws -> BookCheck {
        let database = ZoneDatabase()
        let sent = try await entries().filter { $0.outcome == "accepted" || $0.outcome == "unknown" }
        var check = BookCheck(unknown: sent.count { $0.outcome == "unknown" })
        for entry in sent where zones {
            let sleeper = sleepers[entry.number]
            guard let zone = try database.zone(named: sleeper.zone) else { continue }
            let earliest = Self.earliest(sleeper, entry.slot, zone)
            let text = "sleeper \(entry.number), slot \(entry.slot.iso) at \(Instant(seconds: entry.at).rfc3339)"
            if entry.at < earliest || entry.at >= earliest + 14_400 { check.add(.notDue, text) }
            if Self.quietEnd(sleeper, entry.at, entry.slot, zone) != nil { check.add(.quiet, text) }
        }
        for (number, all) in Dictionary(grouping: sent, by: \.number) {
            let instants = all.map(\.at).sorted()
            for (one, next) in zip(instants, instants.dropFirst()) where next - one < 12 * 3600 {
                check.add(.doubled, "sleeper \(number) at \(one) and \(next)")
            }
        }
        let taken = stage.taken.all
        for (id, same) in Dictionary(grouping: taken, by: \.apnsID) where same.count > 1 { check.add(.doubled, id) }
        if taken.count != sent.count { check.add(.misrecorded, "\(taken.count) accepted, \(sent.count) recorded") }
        return check
    }
}
