import Postgres
import TestSupport
import Testing

@testable import Core

/// Partitions of the record beside other sessions. `CallTranscriptTests` has which are made and dropped.
@Suite(.ownThreads) struct DeliveryTests {
    /// Drops the last partitions of the record, as if no daemon had run for so many days.
    private func dropLast(_ count: Int, _ fixture: F) throws {
        try fixture.sql(
            """
            do $$ declare part text; begin
                for part in
                    select relname from pg_class where relkind = 'r' and relname ~ '^delivery_2[0-9]{7}$' order by relname desc limit \(count)
                loop execute format('drop table nudged.%I', part); end loop;
            end $$
            """
        )
    }

    @Test func partitions_whenTwoDaemonsMakeThem_areMadeOnce() async throws {
        let fixture = try await F()
        try dropLast(5, fixture)
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

    @Test func partitions_whenAReaderHoldsAnOldOne_areMadeAllTheSame() async throws {
        let fixture = try await F()
        for day in 1...2 {
            let days = "from ('2020-01-0\(day)Z') to ('2020-01-0\(day + 1)Z')"
            try fixture.sql(
                "create table nudged.delivery_2020010\(day) partition of nudged.delivery for values \(days)"
            )
        }
        try dropLast(2, fixture)
        try await fixture.holding("select count(*) from nudged.delivery_20200102") {
            let (made, dropped) = try await fixture.store.maintainDelivery()
            #expect(made == 2 && dropped == 0)
        }
        #expect(try await fixture.store.maintainDelivery().dropped == 2)
    }

    /// A long reader of the record: partitions can wait an hour, the outcomes of others can't wait behind us.
    @Test func maintenance_whenSomebodyReadsTheRecord_givesUpSoon() async throws {
        let fixture = try await F()
        try dropLast(3, fixture)
        try await fixture.holding("select count(*) from nudged.delivery") {
            do throws(PostgresError) {
                _ = try await fixture.store.maintainDelivery()
                Issue.record("it did not wait for the reader")
            } catch {
                #expect(error.sqlState == "55P03", "\(error)")
            }
        }
        #expect(try await fixture.store.maintainDelivery().made == 3)
    }
}
