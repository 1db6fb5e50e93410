import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged after-restore` as an operator runs it.
@Suite(.ownThreads) struct AfterRestoreTests {
    /// Users who were evaluated, and messages that wait.
    private static func scene() async throws -> Scene {
        let scene = try await Scene()
        try scene.seedDue(3)
        #expect(try await scene.once().exit == .code(0))
        for user in [1, 1, 2] {
            try scene.sql("select (nudged_api.send('\(Scene.user(user))', '\(Scene.title)', '\(Scene.body)')).id")
        }
        return scene
    }

    /// All rows that the command could change.
    private static func state(_ scene: Scene) throws -> String {
        try scene.sql(
            """
            select (select json_agg(p order by user_id) from nudged.person p)::text
                || (select json_agg(m order by id) from nudged.message m)::text
                || (select count(*) from nudged.touched)
                || (select json_agg(d order by user_id) from nudged.delivery d)::text
            """
        )
    }

    @Test func afterRestore_whenItIsADryRun_changesNothingAndSaysTheCommand() async throws {
        let scene = try await Self.scene()
        let before = try Self.state(scene)
        try await scene.nudged(["after-restore"]).ends(0, output: "3 messages of 2 users, created ")
        let json = try await scene.nudged(["after-restore", "--json"])
        #expect(json.output.hasPrefix(#"{"done":false,"#) && json.number("count") == 3, "\(json.text)")
        #expect(try Self.state(scene) == before)
        // The command that was shown, with the file that was named.
        let path = scene.write("schedule: {batch: 100}\n", to: "it's.yaml")
        let named = try await scene.nudged(["after-restore", "--config", path])
        let command = try #require(named.output.split(separator: "\n").last)
        #expect(command.hasSuffix(#"/it'\''s.yaml' --yes"#), "\(named.text)")
    }

    @Test func afterRestore_whenADaemonIsAlive_refusesUnlessToldOtherwise() async throws {
        let scene = try await Self.scene()
        // Nothing is sent meanwhile.
        try await scene.nudged(["pause"])
        let daemon = try scene.startFast()
        let isMember = "exists (select from nudged.member m join nudged.daemon d on d.daemon_id = m.daemon_id)"
        try await scene.wait(for: isMember, of: daemon)
        let process = try scene.sql("select 'process ' || pid || ', daemon ' || daemon_id from nudged.daemon")
        try await scene.nudged(["after-restore"]).ends(0, output: process)
        let refused = try await scene.nudged(["after-restore", "--yes", "--json"])
        let why = "nothing was changed: 1 daemon is alive"
        refused.ends(75, errors: process, why, "systemctl stop", "--while-daemons-run")
        #expect(refused.output.isEmpty, "\(refused.text)")
        #expect(try scene.sql("select count(*) from nudged.message") == "3")
        let done = try await scene.nudged(["after-restore", "--yes", "--while-daemons-run"])
        #expect(done.exit == .code(0) && done.output.contains("\n1 daemon is alive:\n"), "\(done.text)")
        #expect(try scene.sql("select count(*) from nudged.message") == "0")
        try await scene.stop(daemon)
    }
}
