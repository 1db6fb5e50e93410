import TestSupport
import Testing

@testable import Core

/// A user who is deleted from auth.users. `Tests/Reference/Calls/departed.txt` has what else may be wrong.
@Suite(.ownThreads) struct DeletedUserTests {
    private static let departed = "select right(user_id::text, 2), is_erased from nudged.departed order by 1"

    private func fixture() async throws -> F {
        let fixture = try await F.onSupabase(before: "create table auth.users (id uuid primary key);")
        try fixture.seed(1...2)
        try fixture.sql("insert into auth.users select user_id from public.context_profiles")
        for user in 1...2 { _ = try fixture.sendMessage(user) }
        return fixture
    }

    /// Users who can't be erased come last, so that they don't hold up the others for good.
    @Test func user_whenTheyCantBeErased_comesLast() async throws {
        let fixture = try await fixture()
        try fixture.sql("alter table auth.users disable trigger all; delete from auth.users")
        for user in 1...2 {
            try fixture.sql(
                "insert into nudged.departed (user_id, due_at) values (\(F.quoted(user)), '2026-01-0\(user)')"
            )
        }
        try await fixture.holding("select 1 from nudged.person where user_id = \(F.quoted(1)) for update") {
            () async throws -> Void in
            // A call has half a second, of which the one who is held takes a fifth.
            #expect(await eventually { (try? await fixture.store.eraseDeparted().erased) == 1 })
        }
        try fixture.expect(Self.departed, ["01|f", "02|t"])
    }

    /// Neither a failed assertion nor a time-out of one user's erasure delays the others for good.
    @Test(arguments: ["assert false", "perform pg_sleep(60)"])
    func user_whenATriggerOfTheAppBreaksTheErasure_losesTheRest(body: String) async throws {
        let fixture = try await fixture()
        let impatient = Store(configuration: fixture.configuration, statementTimeout: .seconds(2))
        try fixture.sql(
            """
            create function public.refuse() returns trigger language plpgsql as $$
            begin if old.user_id = \(F.quoted(1)) then \(body); end if; return old; end $$;
            create trigger refuse before delete on public.push_tokens for each row execute function public.refuse()
            """
        )
        try fixture.sql("delete from auth.users")
        var erased = 0
        for _ in 1...3 { erased += try await impatient.eraseDeparted().erased }
        #expect(erased == 1)
        try await fixture.drain()
        // Of nudged, and of the app's tables those that nudged made.
        let tables = try fixture.lines(
            """
            select format('select count(*) from %s t where t::text like %L', c.oid::regclass, '%\(F.user(2).uuidString.lowercased())%')
            from pg_class c where c.relnamespace in ('nudged'::regnamespace, 'public'::regnamespace) and c.relkind = 'r' and c.relname <> 'departed'
            """
        )
        let traces = try fixture.lines(tables.joined(separator: " union all "))
        #expect(traces.compactMap { Int($0) }.reduce(0, +) == 0)
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        try fixture.expect(Self.departed, ["01|f", "02|t"])
    }
}
