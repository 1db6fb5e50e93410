import LocalPostgres
import TestSupport
import Testing

/// `nudged migrate`, as an operator types it. `Tests/Reference/Scenes/commands.txt` has more.
@Suite(.ownThreads) struct MigrateTests {
    /// What a broad grant gave, as Supabase's page on custom schemas has one run it.
    @Test func migrate_whenABroadGrantWasRun_takesItBack() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await Scene(migrated: false, cluster: cluster)
        try scene.sql("create role anon; create role authenticated")
        try await scene.nudged(["migrate"])
        try scene.sql("grant usage on schema nudged to anon, authenticated")
        try scene.sql("grant all on all tables in schema nudged to anon, authenticated")
        try scene.sql("grant all on all routines in schema nudged, nudged_api to anon")
        let excess = "select count(*) > 50 from nudged.excess_right"
        let dry = try await scene.nudged(["migrate", "--dry-run"]).ends()
        for part in [
            "no migration is pending: the schema is current", " too many (anon, authenticated):",
            "  anon: all on nudged.", "next: nudged migrate without --dry-run does this",
        ] { #expect(dry.output.contains(part), "\(part): \(dry.text)") }
        #expect(try scene.sql(excess) == "t")
        let back = " rights that were too many (anon, authenticated)"
        try await scene.nudged(["migrate"]).ends(0, output: "took back ", back)
        #expect(try scene.sql(excess) == "f")
        let again = try await scene.nudged(["migrate"])
        #expect(again.output.contains("nothing to do") && !again.output.contains("took back"), "\(again.text)")
    }

    /// The script needs no configuration, and is found applied.
    @Test func sql_whenApplied_isRecognised() async throws {
        let scene = try await Scene(migrated: false)
        let script = try await scene.nudged(["migrate", "--sql"], ["DATABASE_URL": nil]).ends()
        try scene.sql("begin; \(script.output) commit")
        try await scene.nudged(["migrate"]).ends(0, output: "nothing to do: the schema is current", "next: ")
    }
}
