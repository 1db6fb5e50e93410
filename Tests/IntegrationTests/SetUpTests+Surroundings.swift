import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged setup` where others made the database, stand before it, hold it, or end the command.
extension SetUpTests {
    /// A database of Supabase, with an app of its own. Its owner is no superuser, as there.
    private func becomeSupabase(owner: String) throws {
        try scene.sql(
            """
            \(Supabase.setUp)
            create table auth.users (id uuid primary key, email text);
            create role \(owner) login createrole bypassrls password '\(Scene.password)';
            grant anon, authenticated, service_role to \(owner) with admin option;
            alter database "\(scene.database)" owner to \(owner);
            alter schema public owner to \(owner);
            grant usage on schema auth to \(owner);
            grant references, select on auth.users to \(owner);
            set role \(owner);
            alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
            alter default privileges in schema public grant all on routines to anon, authenticated, service_role;
            alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
            create table public.profiles (id uuid primary key references auth.users, name text);
            alter table public.profiles enable row level security;
            create policy own on public.profiles for select using (auth.uid() = id);
            reset role;
            """
        )
    }

    private func dropSupabase(owner: String) throws {
        try scene.sql(
            """
            alter database "\(scene.database)" owner to postgres; alter schema public owner to postgres;
            reassign owned by \(owner) to postgres; drop owned by \(owner); drop role \(owner)
            """
        )
    }

    @Test(arguments: [LocalPooler.Mode?.none])
    func setUp_onSupabase_isWholeAndOpensNothing(_ mode: LocalPooler.Mode?) async throws {
        let owner = "supabase_owner"
        try becomeSupabase(owner: owner)
        defer { try? dropSupabase(owner: owner) }
        let query = "select usename, passwd from pg_shadow where usename = $1"
        let settings = ["auth_user": "postgres", "auth_query": query]
        let pooler = try mode.map {
            try LocalPooler(before: scene.cluster, mode: $0, password: Scene.password, settings: settings)
        }
        defer { pooler?.stop() }
        let place = pooler.map { "127.0.0.1:\($0.port)" } ?? "127.0.0.1:\(scene.cluster.port ?? 0)"
        let url = "postgresql://\(owner):\(Scene.password)@\(place)/\(scene.database)"
        let done = try await setUp(arguments() + ["--yes"], url: url).ends(0, output: "0 errors")
        #expect(done.output.contains("by a pooler in") == (mode != nil), "\(done.output)")
        #expect(text("\(credentials)/database.url")?.contains("@\(place)/") == true)
        // Supabase's default rights give all to everyone. nudged took back what is too much, and left the app's own.
        #expect(try scene.sql("select count(*) from nudged.excess_right") == "0")
        let open = """
            select count(*) from pg_class where relname in ('context_profiles', 'push_tokens')
                and relrowsecurity and not has_table_privilege('anon', oid, 'select')
            """
        #expect(try scene.sql(open) == "2")
        #expect(try scene.sql("select has_table_privilege('anon', 'public.profiles', 'select')") == "t")
        let again = try await setUp(arguments() + ["--yes"], url: url)
        #expect(again.exit == .code(0) && !again.output.contains("wrote"), "\(again.text)")
        try await sends(2)
        guard mode == nil else { return }
        // The tables that nudged made stay when it is taken back. They are still nudged's at the next set-up.
        let rights = try rights()
        #expect(try await setUp(arguments() + ["--undo", "--yes"], url: url).exit == .code(0))
        try await setUp(arguments() + ["--yes"], url: url).ends(0, output: "nudged_device_limit")
        #expect(try self.rights() == rights)
    }

    /// All rights, policies and triggers of the app's two tables, and what nudged.allow remembers.
    private func rights() throws -> String {
        try scene.sql(
            """
            with app as (select oid, relname, relacl from pg_class where relname in ('context_profiles', 'push_tokens'))
            select relname, a.grantee::regrole::text, string_agg(a.privilege_type, ' ' order by a.privilege_type)
                from app, aclexplode(relacl) a group by 1, 2
            union all select relname, polname, polcmd::text from app join pg_policy on polrelid = app.oid
            union all select relname, tgname, tgenabled::text from app join pg_trigger on tgrelid = app.oid
            union all select role, object, privileges from nudged.role_right
            order by 1, 2, 3
            """
        )
    }

    /// A lock that waits would keep all later readers waiting.
    @Test func undo_whileSomeoneReads_letsOthersRead() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let psql = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", scene.cluster.tcpURL(database: scene.database)]
        let statements = ["-c", "begin", "-c", "select count(*) from nudged.person", "-c", "select pg_sleep(1000)"]
        let reader = try ChildProcess(keeping: psql + statements)
        defer { reader.end() }
        #expect(reader.waitForOutput(.seconds(60)) { $0.contains("0\n") })
        let undo = try scene.start(["setup", "--config", configuration, "--undo", "--yes"], variables())
        let blocked = "select exists (select from pg_locks where not granted and mode = 'AccessExclusiveLock')"
        #expect(try await eventually { try scene.sql(blocked) == "t" })
        let reads = ["-c", "set statement_timeout = '30s'", "-c", "select count(*) from nudged.person"]
        let other = try ChildProcess.run(psql + reads)
        #expect(other == "0\n" && undo.exit == nil)
        try scene.sql("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(1000)'")
        try await scene.finish(undo).ends()
        #expect(try !hasSchema())
    }

    /// Without its key, and then with it.
    @Test func setUp_withAKeyAfterASimulatedApple_usesApples() async throws {
        #expect(try await setUp(arguments() + ["--yes"]).exit == .code(0))
        let present = try await setUp(["setup", "--config", configuration, "--dry-run"])
        #expect(present.output.contains("Apple: \(scene.simulator.endpoint)\n"), "\(present.text)")
        let key = "\(scene.folder)/AuthKey_NEWKEY1234.p8"
        #expect(link("\(scene.folder)/AuthKey_\(Scene.keyID).p8", key) == 0)
        let later = try await setUp(["setup", "--config", configuration, "--key", key, "--dry-run"])
        #expect(later.exit == .code(0) && later.output.contains("Apple: its own servers\n"), "\(later.text)")
        #expect(later.output.contains("/nudged.yaml"), "\(later.text)")
    }

    /// It leaves the file that says where it is.
    @Test func setUp_whenTheSimulatedAppleWasKilled_saysSo() async throws {
        let folder = "\(scene.folder)/apple"
        let apple = try ChildProcess(keeping: [Scene.binary + "-apple", "--folder", folder, "--port", "0"])
        defer { apple.end() }
        try #require(apple.waitForOutput(.seconds(60)) { $0.contains("\n") }, "\(apple.errorOutput)")
        let typed = [
            "setup", "--config", configuration, "--apple", folder, "--team", Scene.teamID, "--bundle", Scene.topic,
            "--title", "t", "--body", "b", "--dry-run",
        ]
        try await setUp(typed).ends(0, output: "AuthKey_SIMULATED0.p8")
        apple.signal(SIGKILL)
        _ = await apple.ended()
        #expect(access("\(folder)/endpoint", F_OK) == 0)
        try await setUp(typed).ends(69, errors: "start nudged-apple")
    }

    /// A terminal without echo would look broken.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func prompt_whenASignalEndsIt_turnsTheEchoOn(_ number: Int32) async throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        var (isLocked, index) = (Int32(0), UInt32(0))
        // TIOCSPTLCK and TIOCGPTN, macros that Swift can't read.
        try #require(ioctl(terminal, 0x4004_5431, &isLocked) == 0 && ioctl(terminal, 0x8004_5430, &index) == 0)
        let inner = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(inner) }
        func echoes() -> Bool {
            var modes = termios()
            return tcgetattr(inner, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
        }
        #expect(echoes())
        let typed = [Scene.binary, "setup", "--config", configuration]
        let process = try ChildProcess(keeping: typed, ["PATH": "/usr/bin:/bin"], from: .descriptor(inner))
        #expect(await eventually { !echoes() })
        process.signal(number)
        #expect(await process.ended() == .code(130))
        #expect(echoes())
    }
}

/// Setup tries ten seconds to log in. With a server of its own, this keeps no other set-up waiting.
@Suite(.ownThreads) struct SetUpPoolerTests {
    /// A pooler whose users are in a file knows no new role. Setup says so, and goes on once it does.
    @Test func setUp_behindAPoolerWithAListOfUsers_saysWhatToDo() async throws {
        let tests = try await SetUpTests(on: LocalCluster(LocalCluster.Options(password: Scene.password)))
        let scene = tests.scene
        let pooler = try LocalPooler(before: scene.cluster, password: Scene.password)
        defer { pooler.stop() }
        let typed = tests.arguments() + ["--yes"]
        let run = try await tests.setUp(typed, url: pooler.url(database: scene.database))
        #expect(run.exit == .code(69) && run.errors.contains("the pooler's list of users"), "\(run.text)")
        #expect(tests.files == [nil, nil, nil])
        try await tests.setUp(typed).ends()
    }
}
