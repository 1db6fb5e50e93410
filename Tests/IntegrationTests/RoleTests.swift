import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The whole daemon as `nudged_daemon`, on tables of an owner that is no superuser: docs/SQL.md.
@Suite(.ownThreads) struct RoleTests {
    private static let secret = "planted-role-password"

    /// A cluster of its own, since roles are changed; the database belongs to a role that may make roles, and nothing else.
    private struct Rig {
        let cluster: LocalCluster
        let scene: Scene
        let owner: [String: String?]
        let daemon: [String: String?]
    }

    private func rig(ownerMay attributes: String = "createrole", perDevice: Scene.Answers? = nil) async throws -> Rig {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        let scene = try await Scene(migrated: false, cluster: cluster, perDevice: perDevice)
        scene.secrets.withLock { $0.append(Self.secret) }
        try scene.sql(
            "create role app_owner login password '\(Self.secret)' \(attributes); alter database \(scene.database) owner to app_owner"
        )
        func url(_ user: String) -> [String: String?] {
            [
                "DATABASE_URL": cluster.tcpURL(database: scene.database, user: user, password: Self.secret),
                "SCHEDULE_INTERVAL": "100ms",
            ]
        }
        return Rig(cluster: cluster, scene: scene, owner: url("app_owner"), daemon: url("nudged_daemon"))
    }

    private func migrated(perDevice: Scene.Answers? = nil) async throws -> Rig {
        let rig = try await rig(perDevice: perDevice)
        let run = try await rig.scene.nudged(["migrate"], rig.owner)
        try #require(run.exit == .code(0), "\(run.text)")
        #expect(!run.output.contains("is missing") && !run.output.contains("has no rights"), "\(run.text)")
        #expect(run.output.contains("next: let the daemon log in"), "\(run.text)")
        try rig.scene.sql("alter role nudged_daemon login password '\(Self.secret)'")
        try rig.scene.writeText()
        return rig
    }

    @Test func sweep_whenItIsTheDaemonsRole_sendsRecordsAndDeletes() async throws {
        let stale = Scene.token(7)
        let refused = Scene.token(8)
        let rig = try await migrated { token, _ in
            switch token {
            case stale: .answer(status: 410, reason: "Unregistered", timestamp: 1_790_000_000_000)
            case refused: .answer(status: 400, reason: "BadDeviceToken")
            default: nil
            }
        }
        defer { rig.cluster.stop() }
        let scene = rig.scene
        try scene.seedDue(50)
        let run = try await scene.once(rig.daemon).ends()
        #expect(scene.accepted().count == 48, "\(run.text)")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "48")
        #expect(try scene.sql("select count(*) from public.push_tokens where device_token = '\(stale)'") == "0")
        // Not as a port.
        #expect(!run.errors.contains(#/[^:]42501/#), "\(run.text)")
        try await scene.nudged(["status"], rig.daemon).ends(69, output: "no daemon is alive")
        for options in [[], ["--yes"]] { try await scene.nudged(["after-restore"] + options, rig.daemon).ends() }
        // The switch and the questions work with the configuration that is at hand, which is the daemon's.
        for command in [
            ["pause", "message"], ["explain", Scene.user(1)], ["forecast", "--hours", "1"], ["resume"],
            ["replan", "--over", "0s"],
        ] { try await scene.nudged(command, rig.daemon).ends() }
        #expect(try scene.sql("select count(*) from nudged.paused") == "0")
        try await scene.nudged(["migrate"], rig.daemon).ends(0, output: "nothing to do")
    }

    @Test func devices_whenItsDaemonWasKilled_areRecordedByTheNext() async throws {
        let rig = try await migrated()
        defer { rig.cluster.stop() }
        let scene = rig.scene
        try scene.seedDue(20)
        let killed = try await scene.once(rig.daemon.merging(["NUDGED_FAIL_POINT": "after_intent:kill:1"]) { $1 })
        #expect(killed.exit == .signal(SIGKILL), "\(killed.text)")
        try scene.expireLeases()
        try await scene.once(rig.daemon).ends()
        let served = "select count(distinct user_id) from nudged.delivery where outcome in ('accepted', 'unknown')"
        try scene.expect(served, "20")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'unknown'") != "0")
    }

    /// It starts without owning anything, makes the record's partitions, and says that it is alive.
    @Test func daemon_whenItStarts_makesPartitionsAndBeats() async throws {
        let rig = try await migrated()
        defer { rig.cluster.stop() }
        let scene = rig.scene
        try scene.sql(
            """
            do $$ declare part text; begin
                for part in select relname from pg_class where relname ~ '^delivery_[0-9]{8}$' loop execute format('drop table nudged.%I', part); end loop;
            end $$
            """
        )
        let process = try scene.start(["run"], rig.daemon)
        let parts = "select count(*) from pg_class where relname ~ '^delivery_[0-9]{8}$'"
        try await scene.wait(for: "(\(parts)) > 0 and exists (select from nudged.daemon)", of: process)
        #expect(try scene.sql(parts) == "9")
        try await scene.nudged(["status"], rig.daemon).ends()
        let run = try await scene.stop(process)
        // Not as a port.
        #expect(!run.errors.contains(#/[^:]42501/#), "\(run.text)")
        #expect(try scene.sql("select count(*) from nudged.daemon") == "0")
    }

    /// Roles can't be created. Everything else is, and the output says what is missing.
    @Test func migrate_whenRolesMayNotBeMade_goesOnAndSaysSo() async throws {
        let rig = try await rig(ownerMay: "")
        defer { rig.cluster.stop() }
        let run = try await rig.scene.nudged(["migrate"], rig.owner).ends()
        for role in ["nudged_daemon", "nudged_app", "nudged_writer"] {
            #expect(run.output.contains("the role \(role) is missing"), "\(run.text)")
        }
        #expect(run.output.contains("grant nudged_writer to app_owner"), "\(run.text)")
        try rig.scene.sql("create role nudged_daemon; create role nudged_app; create role nudged_writer")
        let kept = "write the app's tables keep their owner's rights"
        try await rig.scene.nudged(["migrate"], rig.owner)
            .ends(0, output: "select nudged.grant_roles()", "nudged_daemon has no rights", kept)
        // The owner's own daemon works meanwhile.
        try rig.scene.writeText()
        try rig.scene.seedDue(3)
        try await rig.scene.once(rig.owner).ends(0, ["sent": 3])
        // What the steps say.
        try rig.scene.sql("grant nudged_writer to app_owner; set role app_owner; select nudged.grant_roles()")
        try await rig.scene.nudged(["migrate"], rig.owner).ends(0, output: "next: let the daemon log in")
    }

    /// The daemon's role sees what is too many, and can't change it.
    @Test func migrate_whenTheRoleMayNotTakeRightsBack_saysWhoCan() async throws {
        let rig = try await migrated()
        defer { rig.cluster.stop() }
        try rig.scene.sql("grant select on nudged.person to public")
        let who = "1 right that is too many (every role (PUBLIC)): as the owner of schema nudged, "
        try await rig.scene.nudged(["migrate"], rig.daemon).ends(0, output: who + "run select nudged.grant_roles()")
        try await rig.scene.nudged(["migrate"], rig.owner).ends(0, output: "took back 1 right that was too many")
    }

    @Test func report_whenItIsTheDaemonsRole_reads_andAStrangerIsRefused() async throws {
        let rig = try await migrated()
        defer { rig.cluster.stop() }
        let page = try await rig.scene.nudged(["report", "--html", "-"], rig.daemon)
        #expect(page.exit == .code(0) && page.output.hasSuffix("</html>\n"), "\(page.text)")
        try rig.scene.sql("create role stranger login password '\(Self.secret)'")
        let url = rig.cluster.tcpURL(database: rig.scene.database, user: "stranger", password: Self.secret)
        let refused = try await rig.scene.nudged(["report", "--html", "-"], ["DATABASE_URL": url])
        #expect(refused.exit == .code(77) && refused.output.isEmpty, "\(refused.text)")
    }
}
