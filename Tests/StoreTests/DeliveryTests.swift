import Postgres
import TestSupport
import Testing
import TimeZones

@testable import Core

@Suite(.ownThreads) struct DeliveryTests {
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
        try fixture.expect(
            "select to_regclass('nudged.delivery_20200101') is null, to_regclass('nudged.delivery_notes') is not null",
            "t|t"
        )
    }

    @Test func partitions_whenTheDefaultHoldsTheDay_leaveItThere() async throws {
        let fixture = try await F()
        try fixture.dropLastPartitions(2)
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id) values (\(F.quoted(1)), 'check_in', 'x', '', 'skipped', now() + interval '7 days', gen_random_uuid())"
        )
        let (made, _) = try await fixture.store.maintainDelivery()
        #expect(made == 1)
        #expect(try fixture.sql("select count(*) from nudged.delivery_default") == "1")
    }

    @Test func partitions_whenTwoDaemonsMakeThem_areMadeOnce() async throws {
        let fixture = try await F()
        try fixture.dropLastPartitions(5)
        let other = Store(configuration: fixture.configuration)
        async let left = fixture.store.maintainDelivery()
        async let right = other.maintainDelivery()
        let both = try await (left, right)
        #expect(both.0.made + both.1.made == 5)
        try fixture.expect(
            "select count(*) from pg_class where relname ~ '^delivery_2' and relkind = 'r' and not relrowsecurity",
            "0"
        )
    }

    /// An old partition of each of these days of January 2020.
    private static func old(_ days: ClosedRange<Int>) -> String {
        days.map { day in
            let name = "delivery_202001" + (day < 10 ? "0\(day)" : "\(day)")
            return
                "create table nudged.\(name) partition of nudged.delivery for values from ('2020-01-\(day)Z') to ('2020-01-\(day + 1)Z');"
        }.joined()
    }

    @Test func partitions_whenManyAreOld_areDroppedAFewAtOnce() async throws {
        let fixture = try await F()
        try fixture.sql(Self.old(1...13))
        // No calendar has this day; it ended long ago all the same.
        try fixture.sql(
            "create table nudged.delivery_20190231 partition of nudged.delivery for values from ('2019-02-28Z') to ('2019-03-01Z')"
        )
        try fixture.sql("update nudged.setting set retention_days = 1")
        var steps: [Int] = []
        for _ in 0..<3 { steps.append(try await fixture.store.maintainDelivery().dropped) }
        #expect(steps == [10, 4, 0])
        #expect(try fixture.sql(Self.count) == "10")
    }

    @Test func partitions_whenAReaderHoldsAnOldOne_areMadeAllTheSame() async throws {
        let fixture = try await F()
        try fixture.sql(Self.old(1...2))
        try fixture.dropLastPartitions(2)
        let reader = try await fixture.connection()
        let store = fixture.store
        try await reader.transaction { transaction in
            _ = try await transaction.run(Statement("read", sql: "select count(*) from nudged.delivery_20200102"))
            let (made, dropped) = try await store.maintainDelivery()
            #expect(made == 2 && dropped == 0)
        }
        await reader.close()
        #expect(try await store.maintainDelivery().dropped == 2)
    }

    @Test func defaultPartition_whenItHoldsOldRows_isEmptiedHourByHour() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select \(F.quoted(1)), 'check_in', n::text, '', 'skipped', '2020-01-01Z'::timestamptz + n * interval '30 minutes', gen_random_uuid()
            from generate_series(1, 5) n
            """
        )
        var left: [String] = []
        for _ in 0..<4 {
            _ = try await fixture.store.maintainDelivery()
            left.append(try fixture.sql("select count(*) from nudged.delivery_default"))
        }
        #expect(left == ["3", "1", "0", "0"])
    }

    @Test func partitions_whenTheDaemonOwnsNothing_areMadeForIt() async throws {
        let fixture = try await F()
        let role = "keeper_\(fixture.name)"
        try fixture.sql(
            """
            create role \(role) login; grant usage on schema nudged to \(role);
            create role \(role)_other login; grant usage on schema nudged to \(role)_other;
            grant execute on function nudged.maintain_delivery() to \(role);
            """
        )
        try fixture.dropLastPartitions(2)
        let call = "select made, dropped from nudged.maintain_delivery()"
        #expect(try fixture.sql("set role \(role); \(call)") == "2|0")
        #expect(throws: (any Error).self) { try fixture.sql("set role \(role); drop table nudged.delivery_default") }
        #expect(throws: (any Error).self) { try fixture.sql("set role \(role)_other; \(call)") }
    }
}
