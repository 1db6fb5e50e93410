import LocalPostgres
import TestSupport
import Testing

@Suite(.ownThreads) struct StandbyTests {
    @Test func standby_whenPromoted_takesWritesAndTheOldPrimaryFollows() throws {
        let settings = ["synchronous_commit": "on"]
        let primary = try LocalCluster(LocalCluster.Options(settings: settings))
        defer { primary.stop() }
        let standby = try LocalCluster(standbyOf: primary, LocalCluster.Options(settings: settings))
        defer { standby.stop() }
        try primary.setSynchronousStandbys("standby")
        try primary.sql("create table kept as select 7 as n")
        #expect(throws: LocalPostgresError.self) { try standby.sql("create table refused ()") }
        primary.halt(.kill)
        try standby.promote()
        // The commit waited for the standby, so it is there.
        #expect(try standby.sql("insert into kept values (8); select sum(n) from kept") == "15\n")
        try primary.follow(standby)
        #expect(try primary.sql("select pg_is_in_recovery(), sum(n) from kept") == "t|15\n")
    }
}
