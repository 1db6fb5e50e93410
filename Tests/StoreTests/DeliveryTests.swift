import Postgres
import TestSupport
import Testing
import TimeZones

@testable import Core

@Suite(.ownThreads) struct DeliveryTests {
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
}
