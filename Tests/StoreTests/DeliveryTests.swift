import Postgres
import Testing
import TimeZones

@testable import Store

@Suite struct DeliveryTests {
    typealias F = StoreFixture

    private static let count = "select count(*) from pg_inherits where inhparent = 'nudged.delivery'::regclass"

    @Test func partitions_whenMigrated_reachAWeekAhead() async throws {
        let fixture = try await F()
        // Yesterday to seven days ahead, and the default one.
        #expect(try fixture.sql(Self.count) == "10")
        let (made, dropped) = try await fixture.store.maintainDelivery()
        #expect(made == 0 && dropped == 0)
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id) values (\(F.quoted(1)), 'check_in', 'x', '', 'skipped', now() + interval '7 days', gen_random_uuid())"
        )
        #expect(try fixture.sql("select count(*) from nudged.delivery_default") == "0")
        await fixture.close()
    }

    @Test func partitions_whenOld_areDropped() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            create table nudged.delivery_20200101 partition of nudged.delivery for values from ('2020-01-01Z') to ('2020-01-02Z');
            create table nudged.delivery_notes (x int);
            """
        )
        let (_, dropped) = try await fixture.store.maintainDelivery()
        #expect(dropped == 1)
        #expect(
            try fixture.sql(
                "select to_regclass('nudged.delivery_20200101') is null, to_regclass('nudged.delivery_notes') is not null"
            ) == "t|t"
        )
        await fixture.close()
    }

    @Test func partitions_whenTheDefaultHoldsTheDay_leaveItThere() async throws {
        let fixture = try await F()
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id) values (\(F.quoted(1)), 'check_in', 'x', '', 'skipped', now() + interval '9 days', gen_random_uuid())"
        )
        let (made, _) = try await fixture.store.maintainDelivery(daysAhead: 10, keepDays: 90)
        #expect(made == 2)
        #expect(try fixture.sql("select count(*) from nudged.delivery_default") == "1")
        await fixture.close()
    }

    @Test func partitions_whenTwoDaemonsMakeThem_areMadeOnce() async throws {
        let fixture = try await F()
        let other = Store(configuration: fixture.configuration)
        async let left = fixture.store.maintainDelivery(daysAhead: 20, keepDays: 90)
        async let right = other.maintainDelivery(daysAhead: 20, keepDays: 90)
        let both = try await (left, right)
        #expect(both.0.made + both.1.made == 13)
        #expect(
            try fixture.sql(
                "select count(*) from pg_class where relname ~ '^delivery_2' and relkind = 'r' and not relrowsecurity"
            ) == "0"
        )
        await other.close()
        await fixture.close()
    }
}
