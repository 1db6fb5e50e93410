import Postgres
import TestSupport
import Testing

@testable import Core

/// Partitions of the record beside other sessions. `CallTranscriptTests` has which are made and dropped.
@Suite(.ownThreads) struct DeliveryTests {
    @Test func partitions_whenTwoDaemonsMakeThem_areMadeOnce() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            do $$ declare part text; begin
                for part in select relname from pg_class where relkind = 'r' and relname ~ '^delivery_2[0-9]{7}$' order by relname desc limit 5
                loop execute format('drop table nudged.%I', part); end loop;
            end $$
            """
        )
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
}
