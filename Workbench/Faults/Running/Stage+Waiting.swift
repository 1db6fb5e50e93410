import Base
import Glibc
import LocalPostgres
import Synchronization

extension Stage {
    static let net = Duration.seconds(600)

    /// Polls until the condition is met. Fails when none of `daemons`, which should meet it, is left any more
    /// (nil: all of the round; empty: no daemon is needed).
    func wait(
        for what: String,
        by daemons: [ChildProcess]? = nil,
        every pause: Duration = .milliseconds(25),
        until isSo: @Sendable () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + Self.net
        while true {
            // Read before the condition, because a daemon may meet it and end.
            let needed = daemons ?? self.daemons
            let areAllGone = !needed.isEmpty && needed.allSatisfy { $0.exit != nil }
            if try await isSo() { return }
            if areAllGone, let last = needed.last {
                let ends = needed.map { String(describing: $0.exit) }.joined(separator: ", ")
                throw FaultError("\(what): no daemon is left to wait for (\(ends)): \(last.errorOutput.suffix(1500))")
            }
            guard ContinuousClock.now < end else { throw FaultError("waited \(Self.net) for \(what)") }
            try await Task.sleep(for: pause)
        }
    }

    func wait(for what: String, by daemons: [ChildProcess]? = nil, _ sql: String, is wanted: Int = 0) async throws {
        try await wait(for: what, by: daemons) { try await self.number(sql) == wanted }
    }

    /// Waits for so many accepted pushes, until nobody is due, or the process ends. False if there are fewer.
    @discardableResult
    func awaitAccepted(_ count: Int, by process: ChildProcess) async throws -> Bool {
        var polls = 0
        let end = ContinuousClock.now + Self.net
        while taken.count < count, process.exit == nil {
            polls += 1
            // Asking the database is dear. If it is away, there is more to come.
            if polls % 200 == 0, (try? await isIdle()) == true { break }
            guard ContinuousClock.now < end else { throw FaultError("waited \(Self.net) for \(count) accepted pushes") }
            try await Task.sleep(for: .milliseconds(2))
        }
        return taken.count >= count
    }

    func awaitIdle() async throws {
        try await wait(for: "nobody to be due", every: .milliseconds(100)) { try await self.isIdle() }
    }

    /// Kills a daemon by SIGKILL. Pushes that were open then must become `unknown`.
    func kill(_ process: ChildProcess) async throws {
        process.signal(SIGKILL)
        try await mourn(process)
    }

    /// Waits for the only daemon's death, allows what it left open, and ends its lease.
    func mourn(_ process: ChildProcess) async throws {
        try await finish(process)
        // The server still performs what the daemon had sent.
        try await awaitNoSessions()
        let open = try await openIntents()
        allow { $0.openAtKill.formUnion(open) }
        try await endLeases()
    }

    /// Ends the leases of all daemons but a living one, as if their time had passed. So nobody has to wait for it.
    func endLeases(except living: ChildProcess? = nil) async throws {
        try await sql(
            """
            with dead as (
                select id from nudged.member m where not exists (
                    select from nudged.daemon d where d.daemon_id = m.daemon_id and d.pid = \(living?.id ?? 0)
                )
            ), ended as (
                update nudged.lease set alive_until = '1970-01-01' where member in (select id from dead)
            )
            -- A real lease lasts for seconds, so a later attempt is at a later instant.
            update nudged.intent set attempted_at = attempted_at - interval '1 minute'
            where member in (select id from dead)
            """
        )
    }

    /// Measures the time to the next push. Fails if none comes within the limit, in machine time, and users are due.
    func measureRecovery(
        since moment: Moment,
        within limit: Duration? = nil,
        isIdle: (@Sendable () async throws -> Bool)? = nil
    ) async throws {
        let most = limit.map { Int64($0 / .milliseconds(1)) } ?? .max
        let polls = Atomic<Int>(0)
        try await wait(for: "work to go on", every: .milliseconds(10)) {
            if self.taken.first(after: moment.at) != nil || moment.elapsed >= most { return true }
            // A session for each poll would itself keep the processors busy.
            guard polls.add(1, ordering: .relaxed).newValue % 50 == 0 else { return false }
            if let isIdle { return try await isIdle() }
            return try await self.isIdle()
        }
        guard let at = taken.first(after: moment.at) else {
            if moment.elapsed >= most { fail("no push in \(most) ms after the fault had ended") }
            return
        }
        recovered(after: at - moment.at)
    }

    var now: Int64 { WallTime.milliseconds() }

    /// Waits until a daemon has logged this. The round fails if it ends before.
    func awaitLine(_ text: String, of daemon: ChildProcess) async throws {
        try await wait(for: "the line \"\(text)\"") { daemon.errorOutput.contains(text) || daemon.exit != nil }
        if !daemon.errorOutput.contains(text) { fail("it ended: \(daemon.errorOutput.suffix(1000))") }
    }

    /// Deadlocks in the round's database. The statistics are a moment late.
    func expectNoDeadlocks() async throws {
        let found = try await number("select deadlocks from pg_stat_database where datname = current_database()")
        if found != 0 { fail("\(found) deadlocks") }
    }

    /// Waits for a daemon's statement so many milliseconds from now. So it has seen earlier changes.
    func awaitLook(after milliseconds: Int64 = 1_000) async throws {
        let at = now + milliseconds
        let newer = "pg_stat_activity where \(Stage.others) and query_start > to_timestamp(\(at) / 1000.0)"
        try await wait(for: "a daemon's next sweep") { try await self.number("select count(*) from \(newer)") > 0 }
    }

    /// Makes the server refuse `share` in a hundred statements on a table, by a trigger `fault_refuses`. A sequence
    /// decides, which no rollback resets. Not every N-th: a sweep of N statements would always meet the same refusal.
    func refuse(_ table: String, on events: String, state: String, share: Int) async throws {
        let name = table.filter { $0.isLetter }
        try await sql(
            """
            create sequence if not exists public.fault_\(name);
            create or replace function public.fault_\(name)() returns trigger language plpgsql security definer as $$
            begin
                if abs(hashint8(nextval('public.fault_\(name)')) % 100) < \(share) then
                    raise exception 'refused by the fault script' using errcode = '\(state)';
                end if;
                return null;
            end $$;
            create or replace trigger fault_refuses before \(events) on \(table) for each statement execute function public.fault_\(name)();
            """
        )
    }

    func relent(_ table: String) async throws { try await sql("drop trigger if exists fault_refuses on \(table)") }

    func asked(_ table: String) async throws -> Int {
        let counter = "public.fault_\(table.filter { $0.isLetter })"
        return try await number("select case when is_called then last_value else 0 end from \(counter)")
    }
}

func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Tells the writers of a script to stop.
package final class End: Sendable {
    private let over = Atomic<Bool>(false)
    package var hasCome: Bool { over.load(ordering: .acquiring) }

    package init() {}

    package func come() { over.store(true, ordering: .releasing) }
}
