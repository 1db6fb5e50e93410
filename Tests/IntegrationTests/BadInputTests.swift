import Glibc
import LocalPostgres
import OpenSSL
import TestSupport
import Testing

/// Bad input: each a clear error and the right exit code, and nothing is lost.
@Suite(.ownThreads) struct BadInputTests {
    private static func yaml(_ scene: Scene, _ more: String = "") -> String {
        """
        apns:
          teamId: \(Scene.teamID)
          keyId: \(Scene.keyID)
          bundleId: \(Scene.topic)
          environment: sandbox
          privateKeyFile: \(scene.folder)/key.p8
          endpoint: \(scene.simulator.endpoint)
          caFile: \(scene.folder)/ca.pem
        database:
          url: \(scene.cluster.tcpURL(database: scene.database))
        \(more)
        """
    }

    /// The work that was due is due still.
    private func isIntact(_ scene: Scene) throws -> Bool {
        try scene.sql(
            "select (select count(*) from nudged.person where due_at <= now()) = 3 or (select count(*) from nudged.touched) > 0"
        ) == "t"
            && scene.simulator.counts.accepted == 0
    }

    @Test func run_whenAKeyIsUnknown_namesTheNearestAndItsPlace() async throws {
        let scene = try await Scene()
        try scene.seedDue(3)
        let path = scene.write(Self.yaml(scene, "schedule:\n  intervall: 2s"), to: "bad.yaml")
        let run = try await scene.nudged(["run", "--once", "--config", path], [:]).ends(78)
        #expect(run.errors.contains("schedule.interval") && run.errors.contains("bad.yaml:"), "\(run.errors)")
        #expect(try isIntact(scene))
    }

    @Test func run_whenTheKeyFileIsMissingOrNoKeyOrOpen_saysSo() async throws {
        let scene = try await Scene()
        try scene.seedDue(3)
        try await scene.once(["APNS_PRIVATE_KEY_FILE": "\(scene.folder)/none.p8"]).ends(78, errors: "none.p8")
        let none = try await scene.once([
            "APNS_PRIVATE_KEY_FILE": scene.write(
                "-----BEGIN PRIVATE KEY-----\nplanted-secret\n-----END PRIVATE KEY-----\n",
                to: "no.p8"
            )
        ])
        #expect(none.exit == .code(78) && none.errors.contains("apns.privateKey"), "\(none.text)")
        #expect(!none.errors.contains("planted-secret"))
        let open = try await scene.once([
            "APNS_PRIVATE_KEY_FILE": scene.write(
                try Scene.certificate.get().providerKey.privateKey,
                to: "open.p8",
                mode: 0o644
            )
        ])
        #expect(open.exit == .code(77) && open.errors.contains("open.p8"), "\(open.text)")
        let ed25519 =
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n"
        try await scene.once(["APNS_PRIVATE_KEY_FILE": scene.write(ed25519, to: "ed.p8")]).ends(78)
        #expect(try isIntact(scene))
    }

    /// As another user, who may read everything but the key: as root, everything can be read.
    @Test func run_whenTheKeyFileIsUnreadable_saysSo() async throws {
        let scene = try await Scene()
        guard let other = try await Scene.otherUser() else { return }
        let folder = try Scene.openFolder()
        defer { _ = try? ChildProcess.run(["rm", "-rf", folder]) }
        for (name, mode) in [("ca.pem", "644"), ("key.p8", other.isEmpty ? "000" : "600")] {
            try ChildProcess.run(["install", "-m", mode, "\(scene.folder)/\(name)", "\(folder)/\(name)"])
        }
        let files = ["APNS_CA_FILE": "\(folder)/ca.pem", "APNS_PRIVATE_KEY_FILE": "\(folder)/key.p8"]
        let run = other + [Scene.binary, "run", "--once"]
        let process = try ChildProcess(keeping: run, scene.environment(files))
        try await scene.finish(process).ends(77, errors: "\(folder)/key.p8 can't be read (Permission denied)")
    }

    /// A link to itself can be opened by nobody, not by root either (ELOOP).
    @Test func run_whenAZoneFileCannotBeReadNow_leavesItsUsersAsTheyAre() async throws {
        let scene = try await Scene()
        try scene.seedDue(3)
        let zones = "\(scene.folder)/zones"
        #expect(mkdir(zones, 0o700) == 0 && mkdir("\(zones)/Test", 0o700) == 0)
        #expect(symlink("Zone", "\(zones)/Test/Zone") == 0)
        try scene.sql(
            """
            update public.context_profiles set timezone = 'UTC',
                notification_preferences = notification_preferences || '{"timezone": "Test/Zone"}'
            where user_id = '\(Scene.user(2))'
            """
        )
        let run = try await scene.once(["TZDIR": zones]).ends(75, ["sent": 2, "timezone_unreadable": 1])
        #expect(run.errors.occurrences(of: "Test/Zone: Too many levels of symbolic links") == 2, "\(run.errors)")
        #expect(run.errors.occurrences(of: "1 user waits and will be evaluated again") == 1, "\(run.errors)")
        let row = "from nudged.person where user_id = '\(Scene.user(2))'"
        try scene.expect("select due_at - now() between interval '20 seconds' and interval '120 seconds' \(row)", "t")
        #expect(try scene.sql("select state is null and evaluated_at is null and since is null \(row)") == "t")
        let passed = "select count(*) from nudged.delivery where user_id = '\(Scene.user(2))'"
        #expect(try scene.sql(passed) == "0", "no slot went by")
        unlink("\(zones)/Test/Zone")
        #expect(symlink("/usr/share/zoneinfo/Etc/UTC", "\(zones)/Test/Zone") == 0)
        try scene.sql("update nudged.person set due_at = now() where user_id = '\(Scene.user(2))'")
        try await scene.once(["TZDIR": zones]).ends(0, ["sent": 1])
        #expect(scene.accepted() == [Scene.token(1): 1, Scene.token(2): 1, Scene.token(3): 1])
    }
}
