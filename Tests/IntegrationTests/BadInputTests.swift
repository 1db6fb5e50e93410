import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Bad input: each a clear error and the right exit code, and nothing is lost. `Tests/Reference/Scenes` has more.
@Suite(.ownThreads) struct BadInputTests {
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
