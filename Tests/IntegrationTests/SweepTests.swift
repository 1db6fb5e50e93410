import APNsSimulator
import Glibc
import LocalPostgres
import Synchronization
import TestSupport
import Testing

/// A sweep that lasts, and a database that refuses it.
@Suite(.ownThreads) struct SweepTests {
    /// Raises at each row that comes to a table, and counts: what a sequence has given stays given after the rollback.
    private func refuse(_ scene: Scene, _ table: String, on event: String, state: String) throws {
        try scene.sql(
            """
            create sequence attempts;
            create function refuse() returns trigger language plpgsql as $$
            begin perform nextval('public.attempts'); raise exception 'refused' using errcode = '\(state)'; end $$;
            create trigger refuse before \(event) on nudged.\(table) for each row execute function refuse()
            """
        )
    }

    /// A revoked right or a trigger of the operator's. It is fixed elsewhere, and the daemon waits. The outcomes are
    /// kept, and none becomes unknown.
    @Test(arguments: ["42501", "P0001", "23514"])
    func outcomes_whenTheRecordRefusesThem_areKeptUntilItTakesThem(state: String) async throws {
        let scene = try await Scene()
        try scene.seedDue(30)
        try refuse(scene, "delivery", on: "insert", state: state)
        let process = try scene.start(["run"], ["SCHEDULE_INTERVAL": "100ms"])
        #expect(await scene.simulator.waitUntil(accepted: 30))
        try await scene.wait(for: "last_value >= 12 from attempts", of: process)
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") != "0")
        try scene.sql("drop trigger refuse on nudged.delivery")
        try await scene.wait(for: "count(*) = 30 from nudged.delivery where outcome = 'accepted'", of: process)
        #expect(try scene.sql("select count(*) from nudged.delivery") == "30")
        try await scene.stop(process)
        #expect(scene.accepted().values.allSatisfy { $0 == 1 })
    }

    /// The same for decisions that send nothing: nobody is taken for poisoned and set aside for a day.
    @Test func rests_whenTheTableRefusesThem_areNotTakenForPoison() async throws {
        let scene = try await Scene()
        try scene.seedDue(64)
        try scene.sql("update public.context_profiles set first_session_complete = false")
        // Claims and postponements pass; what settles a decision does not. Attempts are counted where a rollback takes nothing back.
        try scene.sql(
            """
            create sequence attempts;
            create function refuse() returns trigger language plpgsql as $$
            begin
                if exists (select from settled where evaluated_at is not null) then
                    perform nextval('public.attempts');
                    raise exception 'refused';
                end if;
                return null;
            end $$;
            create trigger refuse after update on nudged.person referencing new table as settled
            for each statement execute function refuse()
            """
        )
        let process = try scene.start(["run"], ["SCHEDULE_INTERVAL": "100ms"])
        // More than one round of attempts, in each of which some users are tried alone.
        try await scene.wait(for: "last_value >= 60 from attempts", of: process)
        #expect(try scene.sql("select count(*) from nudged.person where due_at > now() + interval '1 hour'") == "0")
        try scene.sql("drop trigger refuse on nudged.person")
        try await scene.wait(for: "count(*) = 64 from nudged.person where evaluated_at is not null", of: process)
        try await scene.stop(process)
    }

    /// A sweep of minutes checks for changes each second. Before its end they are drained, and a dead daemon's intents
    /// are recorded.
    @Test func changes_whenASweepLasts_areSeenBeforeItsEnd() async throws {
        let scene = try await Scene()
        try scene.seedDue(20_000)
        let process = try scene.start(
            ["run"],
            ["SCHEDULE_BATCH": "5", "LOG_LEVEL": "info", "SCHEDULE_INTERVAL": "3600s"]
        )
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try scene.sql(
            "insert into nudged.touched (user_id) select user_id from nudged.person where user_id = '\(Scene.user(1))'"
        )
        try await scene.wait(for: "count(*) = 0 from nudged.touched", of: process)
        #expect(scene.simulator.counts.accepted < 20_000)
        process.signal(SIGTERM)
        #expect(try await scene.finish(process, within: .seconds(90)).exit == .code(0))
    }
}
