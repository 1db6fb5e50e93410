import Glibc
import LocalPostgres
import Operator
import Synchronization
import TestSupport
import Testing

/// `nudged setup`, as an operator types it, on a server of its own: the daemon's role and password belong to all of its
/// databases.
@Suite(.ownThreads, .serialized) struct SetUpTests {
    private static let cluster = Result {
        try LocalCluster(LocalCluster.Options(maxConnections: 100, password: Scene.password))
    }

    let scene: Scene

    init() async throws { try await self.init(on: Self.cluster.get()) }

    init(on cluster: LocalCluster) async throws {
        scene = try await Scene(migrated: false, cluster: cluster)
        #expect(rename("\(scene.folder)/key.p8", key) == 0)
        // As nudged-apple would write it.
        scene.write(scene.simulator.endpoint, to: "endpoint")
    }

    // MARK: What is typed

    private var key: String { "\(scene.folder)/AuthKey_\(Scene.keyID).p8" }
    var configuration: String { "\(scene.folder)/etc/nudged.yaml" }
    var credentials: String { "\(scene.folder)/etc/credentials" }

    func arguments(title: String = Scene.title, team: String = Scene.teamID) -> [String] {
        [
            "setup", "--config", configuration, "--key", key, "--team", team, "--bundle", Scene.topic, "--title", title,
            "--body", Scene.body, "--apple", scene.folder,
        ]
    }

    func answers(_ title: String = Scene.title) -> SetUpAnswers {
        var answers = SetUpAnswers()
        answers.database = scene.cluster.tcpURL(database: scene.database)
        (answers.keyFile, answers.keyID) = (key, Scene.keyID)
        (answers.team, answers.bundleID) = (Scene.teamID, Scene.topic)
        (answers.title, answers.body) = (title, Scene.body)
        (answers.endpoint, answers.caFile) = (scene.simulator.endpoint, "\(scene.folder)/ca.pem")
        return answers
    }

    /// Only the owner's URL is in the environment, or for the daemon's commands only the secrets' folder.
    func variables(url: String? = nil, daemon: Bool = false) -> [String: String?] {
        var all = scene.environment().mapValues { _ in String?.none }
        all["PATH"] = "/usr/bin:/bin"
        if daemon {
            all["CREDENTIALS_DIRECTORY"] = credentials
        } else {
            all["DATABASE_URL"] = url ?? scene.cluster.tcpURL(database: scene.database)
        }
        return all
    }

    func setUp(_ arguments: [String], url: String? = nil) async throws -> Scene.Run {
        try await scene.nudged(arguments, variables(url: url))
    }

    // MARK: What is there

    func text(_ path: String) -> String? { TextFile.read(path) }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    var files: [String?] { [configuration, "\(credentials)/database.url", "\(credentials)/apns.privateKey"].map(text) }

    private func password() throws -> String {
        try scene.sql("select rolpassword from pg_authid where rolname = 'nudged_daemon'")
    }

    func title() throws -> String { try scene.sql("select title from nudged.template where active") }

    func hasSchema() throws -> Bool { try scene.sql("select to_regnamespace('nudged') is not null") == "t" }

    /// A check-in is sent by the daemon, with what `setup` has written.
    func sends(_ users: Int) async throws {
        try scene.seedDue(users)
        let once = ["run", "--once", "--json", "--config", configuration]
        try await scene.nudged(once, variables(daemon: true)).ends(0, ["sent": users])
    }

    // MARK: Tests

    @Test func setUp_besideOtherTables_makesAll_andTheDaemonSends() async throws {
        try scene.sql("create table public.orders (id bigint primary key)")
        let dry = try await setUp(arguments() + ["--dry-run"])
        let version = try scene.sql("select current_setting('server_version')")
        for part in [
            "nudged migrate --create-tables", "PostgreSQL \(version)", "clock and this machine's differ by 0.",
        ] { #expect(dry.exit == .code(0) && dry.output.contains(part), "\(part): \(dry.text)") }
        try await setUp(arguments()).ends(64, errors: "--yes")
        #expect(try !hasSchema() && files == [nil, nil, nil])
        let done = try await setUp(arguments() + ["--yes"]).ends()
        for part in ["applied 0001_app_tables", "may log in", "0 errors", "nudged send-test --config"] {
            #expect(done.output.contains(part), "\(part): \(done.text)")
        }
        #expect(mode("\(credentials)/database.url") == 0o600 && mode("\(credentials)/apns.privateKey") == 0o600)
        #expect(mode(credentials) == 0o700 && mode(configuration) == 0o644)
        #expect(text("\(credentials)/database.url")?.contains(Scene.password) == false)
        try await sends(2)
    }

    @Test func setUp_again_changesOnlyWhatIsAsked() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let before = files
        let known = try password()
        // An operator's own line stays, and their own form of the URL.
        let own = (before[0] ?? "") + "# mine\nschedule:\n  interval: 2s\n"
        let url = (before[1] ?? "").replacing("\n", with: "?application_name=mine\n")
        scene.write(own, to: "etc/nudged.yaml", mode: 0o644)
        scene.write(url, to: "etc/credentials/database.url", mode: 0o600)
        let again = try await setUp(arguments() + ["--yes"])
        #expect(again.exit == .code(0) && !again.output.contains("wrote"), "\(again.text)")
        #expect(files == [own, url, before[2]])
        try await setUp(arguments(title: "planted-title-text: 2") + ["--yes"]).ends()
        #expect(try title() == "planted-title-text: 2")
        // An operator's own text stays, if none is given.
        try scene.sql("update nudged.template set title = 'mine' where active")
        #expect(try await setUp(["setup", "--config", configuration, "--yes"]).exit == .code(0))
        #expect(try title() == "mine" && files == [own, url, before[2]])
        #expect(try password() == known)
    }

    /// Interrupted after each thing that it does, and run again.
    private func beFinishedAfterInterruptions() async throws {
        struct Interruption: Error {}
        var steps = 0
        var (isWhole, wasMarked) = (false, false)
        while !isWhole {
            let run = try SetUpRun(answers(), path: configuration, environment: ["PATH": "/usr/bin:/bin"])
            let plan = try await run.plan()
            steps += 1
            let left = Atomic(steps)
            do {
                _ = try await run.apply(plan) { _ in
                    if left.subtract(1, ordering: .relaxed).newValue == 0 { throw Interruption() }
                }
                isWhole = true
            } catch is Interruption {
                // As if the process had been killed here. Perhaps a service has not read the new files yet.
                wasMarked = wasMarked || access("\(scene.folder)/etc/.restart.setup", F_OK) == 0
            }
            let finished = try await setUp(arguments() + ["--yes"])
            #expect(finished.exit == .code(0), "\(steps): \(finished.text)")
            let staged = try ChildProcess.run(["find", "\(scene.folder)/etc", "-name", "*.setup"])
            #expect(staged.isEmpty, "\(staged)")
            let undone = try await setUp(arguments() + ["--undo", "--yes"])
            #expect(undone.exit == .code(0) && access("\(scene.folder)/etc", F_OK) != 0, "\(steps): \(undone.text)")
            #expect(try !hasSchema())
            try scene.sql("drop table public.push_tokens, public.context_profiles")
        }
        // Each migration, the check, the text, the password and the three files.
        #expect(steps > 12 && wasMarked)
    }

    @Test(arguments: ["team", "folder", "password", "authority", "file"])
    func setUp_whenAnAnswerIsWrong_changesNothing(_ what: String) async throws {
        var (arguments, url, status) = (arguments() + ["--yes"], String?.none, Int32(78))
        switch what {
        case "team": arguments = self.arguments(team: "short") + ["--yes"]
        case "folder":
            scene.write("a file", to: "etc")
            status = 74
        case "password":
            url = scene.cluster.tcpURL(database: scene.database, password: "another-password")
            status = 77
        case "authority": url = "postgresql://owner:another-password@db.example.com/app"
        default:
            #expect(mkdir("\(scene.folder)/etc", 0o700) == 0)
            scene.write("apns: [1", to: "etc/nudged.yaml")
        }
        let (before, known) = (files, try password())
        let run = try await setUp(arguments, url: url).ends(status)
        #expect(!run.text.contains("another-password"))
        #expect(try !hasSchema() && files == before)
        #expect(try password() == known)
    }

    /// What an operator keeps in the file, its mode and its place.
    @Test func setUp_keepsModeLinkAndComments() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let kept = "\(scene.folder)/kept.yaml"
        let topic = "\"\(Scene.topic)\""
        let commented = (text(configuration) ?? "").replacing(topic, with: "\(topic) # legal's")
        scene.write(commented + "\n\n", to: "kept.yaml", mode: 0o640)
        #expect(unlink(configuration) == 0 && symlink(kept, configuration) == 0)
        let same = try await setUp(["setup", "--config", configuration, "--yes"])
        #expect(same.exit == .code(0) && text(kept) == commented + "\n\n", "\(same.text)")
        // The secrets stay where the service reads them.
        #expect(same.output.contains("CREDENTIALS_DIRECTORY=\(credentials)\n") && files.allSatisfy { $0 != nil })
        #expect(access("\(scene.folder)/credentials", F_OK) != 0)
        let other = ["setup", "--config", configuration, "--bundle", "com.example.other", "--yes"]
        #expect(try await setUp(other).exit == .code(0))
        #expect(text(kept)?.contains("bundleId: \"com.example.other\" # legal's") == true, "\(text(kept) ?? "")")
        #expect(mode(kept) == 0o640)
    }

    /// A place that can't be written is found before the password is set.
    @Test func setUp_whenAPlaceCantBeWritten_leavesThePassword() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let (before, known) = (files, try password())
        #expect(unlink("\(credentials)/database.url") == 0 && mkdir("\(credentials)/database.url", 0o700) == 0)
        try await setUp(arguments() + ["--yes"]).ends(74, errors: "database.url")
        #expect(try password() == known && files[0] == before[0] && files[2] == before[2])
    }

    @Test func setUp_orUndo_whenAnotherRuns_waitsForNobody() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let before = files
        let other = open("\(scene.folder)/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        for typed in [arguments(title: "planted-title-text: 4"), arguments() + ["--undo"]] {
            try await setUp(typed + ["--yes"]).ends(75, errors: "another nudged setup")
            #expect(try files == before && hasSchema() && title() == Scene.title)
        }
    }

    /// A configuration with Apple's own servers. A simulated Apple would take its users' pushes.
    @Test func setUp_simulatedAfterAKey_isRefused() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let real = (text(configuration) ?? "").split(separator: "\n").filter { !$0.contains("endpoint") }
        scene.write(real.joined(separator: "\n"), to: "etc/nudged.yaml", mode: 0o644)
        let before = files
        try await setUp(arguments() + ["--yes"]).ends(78, errors: "run setup --undo first")
        #expect(files == before)
        // What was tried is no obstacle to the way back.
        let undone = try await setUp(arguments() + ["--undo", "--yes"])
        #expect(undone.exit == .code(0) && files == [nil, nil, nil], "\(undone.text)")
    }

    /// A full disk is found before the password is set, even if only the mark of the restart has no room: the folder's
    /// file system has five inodes, for the folders, two files and the staged URL.
    private func setUpWithoutRoomForTheMark(_ inodes: Int) async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let known = try password()
        let script = """
            cp -a \(scene.folder)/etc/. $small
            rm $small/credentials/database.url
            status=0
            \(Scene.binary) setup --config $small/nudged.yaml --yes || status=$?
            echo left: $(find $small -name '*.setup' -o -name database.url)
            exit $status
            """
        let run = try await scene.onSmallDisk("nr_inodes=\(inodes)", variables().compactMapValues(\.self), script)
        guard inodes == 5 else {
            #expect(try run.exit == .code(0) && password() != known, "\(run.text)")
            return
        }
        #expect(run.exit == .code(74) && run.errors.contains(".restart.setup: No space left"), "\(run.text)")
        #expect(try password() == known && run.output.hasSuffix("left:\n"), "\(run.text)")
    }

    /// An owner who may make no roles would end halfway.
    @Test func setUp_whenTheOwnerMayMakeNoRoles_changesNothing() async throws {
        try scene.sql(
            """
            create role plain_owner login password '\(Scene.password)';
            alter database \"\(scene.database)\" owner to plain_owner; alter schema public owner to plain_owner
            """
        )
        let url = scene.cluster.tcpURL(database: scene.database, user: "plain_owner")
        try await setUp(arguments() + ["--yes"], url: url).ends(77, errors: "createrole")
        #expect(try !hasSchema() && files == [nil, nil, nil])
    }

    /// It takes back what is of its database, and nothing else.
    @Test func undo_ofAnotherFileOrDatabase_leavesTheFiles() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let shown = try await setUp(arguments() + ["--undo", "--dry-run"])
        #expect(try shown.exit == .code(0) && shown.output.contains("drop schema nudged") && hasSchema())
        let other = try await setUp(["setup", "--config", "\(scene.folder)/other.yaml", "--undo", "--yes"])
        #expect(other.exit == .code(0) && files[0] != nil, "\(other.text)")
        #expect(try !hasSchema() && files[1] != nil)
        try await setUp(arguments() + ["--yes"]).ends()
        let url = scene.cluster.tcpURL(database: "postgres")
        try await setUp(arguments() + ["--undo", "--yes"], url: url).ends(78, errors: "of another database")
        #expect(try hasSchema() && files.allSatisfy { $0 != nil })
    }

    /// A schema of somebody else with nudged's name is not nudged's to drop.
    @Test func undo_whenNudgedWasNeverHere_dropsNothing() async throws {
        try scene.sql("create schema nudged; create table nudged.mine (id integer)")
        try await setUp(arguments() + ["--undo", "--yes"]).ends(0, output: "its schemas stay")
        #expect(try scene.sql("select count(*) from nudged.mine") == "0")
    }

    /// As after a kill between the key's placing and the configuration's, which has the key's id.
    @Test func setUp_whenOnlyTheKeyIsThere_asksForIt() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        _ = try ChildProcess.run(["rm", configuration])
        let given = arguments().filter { !["--key", key, "--apple", scene.folder].contains($0) }
        try await setUp(given + ["--yes"]).ends(64, errors: "give these: --key")
        let whole = try await setUp(arguments() + ["--yes"])
        #expect(whole.exit == .code(0) && files.allSatisfy { $0 != nil }, "\(whole.text)")
    }

    @Test func setUp_withoutAnswersOrTerminal_namesThem() async throws {
        var none = variables()
        none["DATABASE_URL"] = String?.none
        let run = try await scene.nudged(["setup", "--config", configuration], none).ends(64)
        for option in ["DATABASE_URL", "--key", "--team", "--bundle", "--title", "--body"] {
            #expect(run.errors.contains(option), "\(option): \(run.text)")
        }
        // The file's name has no id.
        let plain = "\(scene.folder)/plain.p8"
        #expect(link(key, plain) == 0)
        let unnamed = try await setUp(arguments().map { $0 == key ? plain : $0 } + ["--yes"])
        #expect(unnamed.exit == .code(64) && unnamed.errors.contains("give these: --key-id\n"), "\(unnamed.text)")
    }
}

extension SetUpTests {
    /// What takes longest.
    @Suite struct LongTests {
        @Test func setUp_interruptedAnywhere_isFinishedByTheNextRun() async throws {
            try await SetUpTests().beFinishedAfterInterruptions()
        }

        @Test(.enabled(if: getuid() == 0), arguments: [5, 6])
        func setUp_whenTheMarkHasNoRoom_leavesThePassword(_ inodes: Int) async throws {
            try await SetUpTests().setUpWithoutRoomForTheMark(inodes)
        }

        @Test(arguments: [LocalPooler.Mode.session, .transaction])
        func setUp_onSupabase_isWholeAndOpensNothing(_ mode: LocalPooler.Mode) async throws {
            try await SetUpTests().setUp_onSupabase_isWholeAndOpensNothing(mode)
        }
    }
}
