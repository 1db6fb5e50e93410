import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Views, types, policies and triggers of the app raise any SQLSTATE for one user. The others are served, and the user
/// is named.
@Suite(.ownThreads) struct HostileStateTests {
    static let states = [
        "02000", "03000", "08000", "08003", "08006", "0A000", "0B000", "0F000", "0L000", "0P000", "20000", "21000",
        "22000", "22003", "22012", "22021", "22P02", "23000", "23503", "23505", "23514", "24000", "25000", "25006",
        "25P02", "25P03", "26000", "27000", "28000", "2B000", "2D000", "2F000", "34000", "38000", "39000", "3B000",
        "3D000", "3F000", "40001", "40P01", "42501", "42601", "42703", "42883", "42P01", "44000", "53100", "53200",
        "53300", "54000", "55000", "55006", "55P03", "57014", "57P01", "57P03", "58030", "F0000", "ND020", "HV000",
        "P0001", "P0002", "P0004", "XX000", "XX001",
    ]

    private static let hostile = """
        create table public.state (raised text);
        insert into public.state values ('P0001');
        grant select on public.state to public;
        create function public.tried(who uuid) returns boolean language plpgsql stable as $$
        begin
            if who = \(F.quoted(70)) then
                raise exception using errcode = (select raised from public.state), message = 'no';
            end if;
            return true;
        end $$;
        """

    /// The view with this as the zone.
    private static func recipient(_ timezone: String) -> String {
        """
        create or replace view nudged.recipient as
        select user_id, notification_preferences as preferences, \(timezone) as timezone, first_session_complete,
            nudge_context as context
        from public.context_profiles;
        """
    }

    private static func device(_ condition: String = "") -> String {
        """
        create or replace view nudged.device as
        select user_id, device_token as token, updated_at as registered_at, environment, topic
        from public.push_tokens \(condition);
        """
    }

    /// Where the app's code runs when a claim reads.
    private static let places: [(relation: String, sql: String, undo: String)] = [
        ("nudged.recipient", recipient("case when public.tried(user_id) then timezone end"), recipient("timezone")),
        ("nudged.device", device("where public.tried(user_id)"), device()),
        (
            "nudged.recipient",
            """
            create role reader_NAME; alter table public.context_profiles owner to reader_NAME;
            alter table public.context_profiles force row level security;
            create policy tried on public.context_profiles using (public.tried(user_id));
            alter view nudged.recipient owner to reader_NAME; grant usage on schema public, nudged to reader_NAME
            """,
            """
            alter view nudged.recipient owner to postgres; drop policy tried on public.context_profiles;
            alter table public.context_profiles owner to postgres; drop owned by reader_NAME; drop role reader_NAME
            """
        ),
        (
            "nudged.recipient",
            """
            create function public.is_zone(value text) returns boolean language plpgsql as $$
            begin
                return value <> 'Poison' or public.tried(\(F.quoted(70)));
            end $$;
            create domain public.zone as text check (public.is_zone(value));
            update public.context_profiles set timezone = 'Poison' where user_id = \(F.quoted(70));
            \(recipient("timezone::public.zone::text"))
            """, recipient("timezone") + "drop domain public.zone"
        ),
    ]

    @Test func claim_whateverTheAppsViewRaises_servesAllOthersAndNamesTheUser() async throws {
        let fixture = try await F.withUsers(1...200)
        try fixture.sql(Self.hostile)
        let others = Set((1...200).filter { $0 != 70 }.map(F.user))
        for (number, place) in Self.places.enumerated() {
            try fixture.sql(place.sql.replacing("NAME", with: fixture.name))
            for (index, state) in Self.states.enumerated() where index % Self.places.count == number {
                try fixture.sql("update public.state set raised = '\(state)'")
                // As after a start: nobody is a suspect yet.
                let store = Store(configuration: fixture.configuration)
                let found = try await store.claimed()
                #expect(Set(found.users.map(\.userID)) == others, "\(state) from \(place.relation)")
                #expect(found.refused.map(\.userID) == [F.user(70)], "\(state) from \(place.relation)")
                let one = try #require(found.refused.first)
                #expect(one.error.hasPrefix(state) && one.column?.hasPrefix(place.relation) == true, "\(one)")
                #expect(!one.isHeld, "\(one)")
                // The next claims read the user alone.
                let again = try await store.claimed()
                #expect(again.users.count == 199 && again.refused.map(\.userID) == [F.user(70)], "\(state)")
                await store.close()
            }
            try fixture.sql(place.undo.replacing("NAME", with: fixture.name))
        }
    }

    /// A view that ends the daemon's session: the users are read one by one, until it is clear which one does it.
    @Test func claim_whenAViewEndsTheSession_servesAllOthers() async throws {
        let fixture = try await F.withUsers(1...60)
        try fixture.sql(
            """
            create function public.tried(who uuid) returns boolean language sql volatile as $$
                select case when who = \(F.quoted(40)) then pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid()) else true end
            $$;
            \(Self.places[1].sql)
            """
        )
        await #expect(throws: PostgresError.self) { _ = try await fixture.store.claimed(60) }
        let found = try await fixture.store.claimed(60)
        #expect(Set(found.users.map(\.userID)) == Set((1...60).filter { $0 != 40 }.map(F.user)))
        let refused = found.refused
        #expect(refused.map(\.userID) == [F.user(40)] && refused.first?.cause == .maybeServer, "\(refused)")
    }

    /// Most users can't be read, and some can: these are served.
    @Test func claim_whenTheViewFailsForHalfTheUsers_servesTheOthers() async throws {
        let fixture = try await F.withUsers(1...100)
        try fixture.sql(
            """
            create or replace view nudged.device as
            select user_id, device_token as token, updated_at as registered_at, environment,
                case when device_token::bit(4)::integer % 2 = 0 then topic else (1 / (user_id is null)::integer)::text end as topic
            from (select *, ('x' || right(device_token, 1)) as last from public.push_tokens) t
            """.replacing("device_token::bit(4)", with: "last::bit(4)")
        )
        let found = try await fixture.store.claimed(100)
        #expect(found.users.count == 50 && found.refused.count == 50)
        #expect(found.refused.allSatisfy { $0.error == "22012 division_by_zero" && $0.column == "nudged.device.topic" })
    }

    /// The view itself is broken: nobody is blamed or set aside.
    @Test(arguments: ["drop view nudged.device cascade", "revoke all on nudged.device from ROLE", "lock"])
    func claim_whenTheViewIsBroken_blamesNobody(fault: String) async throws {
        let fixture = try await F.withUsers(1...100)
        let role = "daemon_\(fixture.name)"
        try fixture.sql(
            """
            create role \(role) login bypassrls; grant usage on schema nudged to \(role);
            grant all on all tables in schema nudged to \(role); grant execute on all functions in schema nudged to \(role)
            """
        )
        let store = Store(configuration: try fixture.configuration(of: role))
        @Sendable func expectNobody() async throws {
            var refused: [Refusal] = []
            await #expect(throws: PostgresError.self) {
                _ = try await store.claim(ranges: F.ranges, now: F.now, limit: 100) { refused.append($0) }
            }
            #expect(refused.isEmpty)
        }
        if fault == "lock" {
            try await fixture.holding("lock table public.push_tokens in access exclusive mode") {
                try await expectNobody()
            }
        } else {
            try fixture.sql(fault.replacing("ROLE", with: role))
            try await expectNobody()
        }
        await store.close()
        try fixture.sql("drop owned by \(role); drop role \(role)")
    }

    /// Without a row in nudged.person, a drain looks for the user in the app's views.
    @Test func drain_whateverTheAppsViewRaises_takesTheOthers() async throws {
        let fixture = try await F.withUsers(1...200)
        try fixture.sql(Self.hostile + Self.places[1].sql)
        let member = try await fixture.member()
        for state in Self.states {
            try fixture.sql("update public.state set raised = '\(state)'; truncate nudged.person, nudged.touched")
            try fixture.sql("insert into nudged.touched (user_id) select user_id from public.context_profiles")
            let store = Store(configuration: fixture.configuration)
            var refused: [Refusal] = []
            let taken = try await store.drain(
                member: member,
                ranges: F.ranges,
                limit: 2_000,
                now: F.now,
                onRefused: { refused.append($0) }
            )
            #expect(taken == 199 && refused.map(\.userID) == [F.user(70)], "\(state): \(taken), \(refused)")
            await store.close()
        }
    }

    /// The app's table refuses to delete one user's token, at once or at the commit.
    @Test(arguments: ["create trigger tried before", "create constraint trigger tried after"])
    func settle_whateverTheAppsTriggerRaises_recordsAllAndStaysAMember(trigger: String) async throws {
        let fixture = try await F.withUsers(1...3)
        let isDeferred = trigger.contains("constraint")
        try fixture.sql(
            Self.hostile.replacing(F.quoted(70), with: F.quoted(2))
                + """
                create function public.refuse() returns trigger language plpgsql as $$
                begin
                    perform public.tried(old.user_id);
                    return old;
                end $$;
                grant execute on function public.tried(uuid) to public;
                \(trigger) delete on public.push_tokens \(isDeferred ? "deferrable initially deferred" : "")
                for each row execute function public.refuse();
                """
        )
        for state in Self.states {
            try fixture.sql(
                """
                update public.state set raised = '\(state)'; truncate nudged.delivery, nudged.touched, public.push_tokens;
                insert into public.push_tokens (user_id, device_token, created_at, updated_at)
                select user_id, repeat('a', 64), '2026-01-01', '2026-01-01' from public.context_profiles;
                truncate nudged.touched; update nudged.person set due_at = '2026-01-02'
                """
            )
            let store = Store(configuration: fixture.configuration)
            let member = try await fixture.member()
            let users = try await store.claim(ranges: F.ranges, now: F.now, limit: 3, member: member).users
            let records = try users.map {
                F.record($0, .rejected, hash: try fixture.hash($0.devices[0].token), status: 410)
            }
            var settlement = Settlement(member: member, sweepID: UUID())
            settlement.changes = zip(users, records).map { user, record in
                var change = F.change(user, record)
                change.staleTokens = [F.stale(user, record.apnsID)]
                return change
            }
            let result = try await store.settle(settlement)
            #expect(result.tokensDeleted == 2 && result.refused.isEmpty, "\(state): \(result)")
            let rejected = try fixture.sql("select count(*) from nudged.delivery where outcome = 'rejected'")
            #expect(rejected == "3", "\(state)")
            #expect(try fixture.sql("select user_id from public.push_tokens") == F.quoted(2).replacing("'", with: ""))
            await store.close()
            try fixture.die()
        }
    }
}
