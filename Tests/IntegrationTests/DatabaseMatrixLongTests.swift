import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// Databases as they are: encodings, locales, settings by `alter database … set`, and tables of other shapes. In each, all
/// works, or is refused with what to do: migrate, register, send, a 410, a reminder, doctor.
@Suite(.ownThreads) struct DatabaseMatrixLongTests {
    struct Cell: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Of `create database`.
        var options = "encoding 'UTF8' locale 'C.UTF-8'"
        /// A collation without which the cell can't be made here.
        var needs: String?
        /// Of the database.
        var settings: [String] = []
        /// The fixture's sessions don't have them, since they could do nothing.
        var spares = false
        /// SQL of the app, before the migration.
        var app = ""
        /// SQL of the app, after its calls and before the sweep.
        var later = ""
        /// `later` replaces a table: nothing is sent until nudged migrate has bound to the new one.
        var isSwapped = false
        /// Of nudged's processes.
        var environment: [String: String?] = [:]
        /// The devices are in a table of another name, which has no call that registers.
        var isMapped = false
        /// nudged migrate says this, with this exit status.
        var status: Int32 = 78
        var refusal: String?
        /// What doctor reports as an error.
        var errors: Set<String> = []
    }

    /// Apart from the other suites, since it has roles of its own.
    private static let cluster = Result {
        let options = LocalCluster.Options(maxConnections: 100, settings: ["autovacuum_naptime": "1h"])
        let cluster = try LocalCluster(options)
        try cluster.sql("create role nudged_daemon login; create role nudged_app; create role nudged_writer")
        try cluster.sql("create role migrator superuser login")
        return cluster
    }

    // MARK: Cells

    private static let encodings =
        ["UTF8", "LATIN1", "LATIN9", "WIN1252", "EUC_JP"].map {
            Cell(testDescription: "\($0), C", options: "encoding '\($0)' locale 'C'")
        } + [
            Cell(
                testDescription: "SQL_ASCII, C",
                options: "encoding 'SQL_ASCII' locale 'C'",
                refusal: "fix: create database … encoding 'UTF8' template template0"
            )
        ]

    private static let locales: [Cell] =
        ["de-DE", "tr-TR", "lt-LT", "az"].flatMap { locale in
            ["UTF8", "LATIN1"].map { encoding -> Cell in
                let options = "encoding '\(encoding)' locale_provider icu icu_locale '\(locale)' locale 'C'"
                return Cell(testDescription: "\(encoding), \(locale) by ICU", options: options)
            }
        }
        + ["de_DE", "tr_TR", "lt_LT", "az_AZ"].map { (name: String) -> Cell in
            let options = "encoding 'UTF8' locale '\(name).UTF-8'"
            return Cell(testDescription: "UTF8, \(name) by libc", options: options, needs: "\(name).utf8")
        }

    private static let settings: [Cell] =
        [
            "search_path = ''", "search_path = 'hostile, public'", "default_transaction_isolation = 'serializable'",
            "default_transaction_deferrable = on", "datestyle = 'SQL, DMY'", "datestyle = 'German'",
            "intervalstyle = 'sql_standard'", "timezone = 'Asia/Kolkata'", "timezone_abbreviations = 'India'",
            "bytea_output = 'escape'", "extra_float_digits = -15", "standard_conforming_strings = off",
            "escape_string_warning = off", "backslash_quote = off", "array_nulls = off", "transform_null_equals = on",
            "xmloption = 'document'", "check_function_bodies = off", "quote_all_identifiers = on",
            "plpgsql.variable_conflict = 'use_column'", "plpgsql.extra_errors = 'all'",
            "plan_cache_mode = 'force_generic_plan'", "enable_seqscan = off", "enable_indexscan = off",
            "enable_hashjoin = off", "jit_above_cost = 0", "work_mem = '64kB'", "client_min_messages = 'debug5'",
            "client_min_messages = 'error'", "client_encoding = 'LATIN1'", "synchronous_commit = off",
            "lc_numeric = 'C'", "lc_monetary = 'C'", "default_toast_compression = 'pglz'",
            "default_statistics_target = 10000", "from_collapse_limit = 1", "max_parallel_workers_per_gather = 8",
            "vacuum_freeze_min_age = 0", "gin_fuzzy_search_limit = 1", "constraint_exclusion = on",
            "lo_compat_privileges = on", "default_with_oids = off", "exit_on_error = off", "row_security = off",
        ].map { setting($0) }
        + [
            setting("statement_timeout = 100", spares: true), setting("lock_timeout = 1", spares: true),
            setting("idle_in_transaction_session_timeout = 1", spares: true),
            setting("default_transaction_read_only = on", spares: true, refusal: "default_transaction_read_only"),
            setting("idle_session_timeout = 1", spares: true, 75, refusal: "raise idle_session_timeout for this role"),
            setting("session_replication_role = replica", errors: ["database.replication_role"]),
        ]

    private static func setting(
        _ setting: String,
        spares: Bool = false,
        _ status: Int32 = 78,
        refusal: String? = nil,
        errors: Set<String> = []
    ) -> Cell {
        var cell = Cell(testDescription: setting, settings: [setting], spares: spares, refusal: refusal, errors: errors)
        cell.status = status
        return cell
    }

    private static let columns = """
        user_id uuid not null, device_token text not null, platform text not null default 'ios',
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        environment text, topic text
        """

    private static let tables = [
        Cell(testDescription: "plain", app: "create table public.push_tokens (\(columns))"),
        Cell(
            testDescription: "partitioned by hash",
            app: "create table public.push_tokens (\(columns)) partition by hash (device_token);"
                + (0...3).map {
                    "create table public.p\($0) partition of public.push_tokens for values with (modulus 4, remainder \($0));"
                }.joined()
        ),
        Cell(
            testDescription: "partitioned by list",
            app: """
                create table public.push_tokens (\(columns)) partition by list (environment);
                create table public.p0 partition of public.push_tokens for values in ('sandbox');
                create table public.p1 partition of public.push_tokens default;
                """
        ),
        Cell(
            testDescription: "inherited",
            app: "create table public.push_tokens (\(columns)); create table public.p0 () inherits (public.push_tokens)"
        ),
        Cell(
            testDescription: "another case of Apple's words",
            app: """
                create table public.push_tokens (\(columns));
                create function public.shout() returns trigger language plpgsql as $$ begin
                    new.platform := ' IOS '; new.environment := 'Development'; new.topic := ' COM.example.app'; return new;
                end $$;
                create trigger shout before insert or update on public.push_tokens for each row execute function public.shout();
                """
        ),
        Cell(
            testDescription: "a nondeterministic collation",
            app: """
                create collation public.blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
                create table public.push_tokens (\(columns.replacing(" text", with: " text collate public.blind")));
                """
        ),
        Cell(
            testDescription: "views of the app",
            app: """
                create table public.users (id uuid primary key, prefs jsonb, tz text, onboarded boolean);
                create table public.devices (owner uuid, apns text, seen timestamptz);
                create schema nudged;
                create view nudged.recipient as select id as user_id, prefs as preferences, tz as timezone, onboarded as first_session_complete from public.users;
                create view nudged.device as select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic from public.devices;
                """,
            isMapped: true
        ),
        Cell(
            testDescription: "swapped",
            later: """
                create table public.x (like public.push_tokens including all);
                insert into public.x select * from public.push_tokens;
                alter table public.push_tokens rename to old_tokens;
                alter table public.x rename to push_tokens;
                """,
            isSwapped: true
        ),
        Cell(
            testDescription: "a view in place of a table",
            app: "create table public.t (\(columns)); create view public.push_tokens as select * from public.t",
            refusal: "fix: rename it, or map your table by the view nudged.device"
        ),
    ]

    // MARK: What each of them does

    private static let capitals = "0F4A1C3E-9B7D-4C2A-8E5F-00112233ABCD"

    @Test(arguments: encodings + locales + settings + tables) func database_asItIs_worksOrIsRefused(cell: Cell)
        async throws
    {
        let cluster = try Self.cluster.get()
        if let needed = cell.needs, try cluster.sql("select from pg_collation where collname = '\(needed)'").isEmpty {
            return
        }
        let scene = try await Scene(migrated: false, cluster: cluster, options: cell.options) { token, _ in
            token == Scene.token(1) ? .unregistered(timestamp: nil) : nil
        }
        defer { try? cluster.dropDatabase(named: scene.database) }
        try scene.sql("create schema hostile; \(cell.app)")
        // A setting that this version does not have.
        guard (try? set(cell, scene)) != nil else { return }

        func url(_ user: String) -> [String: String?] {
            cell.environment.merging(["DATABASE_URL": cluster.url(database: scene.database, user: user)]) { $1 }
        }
        let migrated = try await scene.nudged(["migrate"], url("migrator"))
        if let refusal = cell.refusal {
            #expect(migrated.exit == .code(cell.status) && migrated.text.contains(refusal), "\(migrated.text)")
            return
        }
        try #require(migrated.exit == .code(0), "\(migrated.text)")
        try use(scene, isMapped: cell.isMapped)
        try scene.sql(cell.later)
        if cell.isSwapped {
            let halted = try await scene.once(url("nudged_daemon"))
            #expect(halted.exit == .code(78) && halted.text.contains("nudged migrate"), "\(halted.text)")
            #expect(scene.accepted().isEmpty)
            let bound = try await scene.nudged(["migrate"], url("migrator"))
            try #require(bound.exit == .code(0), "\(bound.text)")
        }

        let sent = try await scene.once(url("nudged_daemon")).ends(0, ["tokens_deleted": 1])
        #expect(Set(scene.accepted().keys) == Set((2...8).map { Scene.token($0) }), "\(sent.text)")
        // Payloads are UTF-8 in any database.
        let texts = scene.simulator.snapshot().accepted.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.count { $0.contains("Caf\u{e9}") } == 6)
        let left = cell.isMapped ? "public.devices" : "public.push_tokens"
        #expect(try scene.sql("select count(*) from \(left)") == "7")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "7")

        let doctor = try await scene.nudged(["doctor", "--json"], url("nudged_daemon"))
        let findings = try DoctorScene.findings(doctor).filter { $0.id.hasPrefix("database.") }
        try #require(!findings.isEmpty, "\(doctor.text)")
        let errors = findings.filter { $0.level == "error" }
        #expect(Set(errors.map(\.id)) == cell.errors, "\(errors)")
        #expect(errors.allSatisfy { $0.remedy != nil })
    }

    private func set(_ cell: Cell, _ scene: Scene) throws {
        for setting in cell.settings {
            try scene.cluster.sql("alter database \"\(scene.database)\" set \(setting)")
            guard cell.spares, let name = setting.split(separator: " ").first else { continue }
            let value = name == "default_transaction_read_only" ? "off" : "0"
            try scene.cluster.sql("alter role postgres in database \"\(scene.database)\" set \(name) = \(value)")
        }
    }

    /// Two users: a message to seven devices, of which Apple refuses one for good, and a reminder. The app calls as
    /// nudged_app.
    private func use(_ scene: Scene, isMapped: Bool) throws {
        let (one, two) = (Scene.user(1), Scene.user(2))
        let wishes = #"{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}"#
        let devices = (1...8).map { ($0 < 8 ? one : two, Scene.token($0)) }
        scene.secrets.withLock { $0.append("c0ffee00000000") }
        let profiles =
            isMapped
            ? "users" : "context_profiles (user_id, notification_preferences, timezone, first_session_complete)"
        try scene.sql(
            "insert into public.\(profiles) values ('\(one)', '\(wishes)', 'UTC', true), ('\(two)', '\(wishes)', 'UTC', true)"
        )
        if isMapped {
            let rows = devices.map { "('\($0)', '\($1)', '2026-01-01')" }.joined(separator: ", ")
            try scene.sql("insert into public.devices values \(rows)")
        } else {
            let calls = devices.map {
                "select nudged_api.register_device('\($0)', '\($1)', topic => 'com.example.app')"
            }
            try scene.sql("set local role nudged_app; \(calls.joined(separator: "; "))")
            try scene.sql("update public.push_tokens set created_at = '2026-01-01', updated_at = '2026-01-01'")
        }
        try scene.sql(
            """
            set local role nudged_app;
            select (nudged_api.send('\(one)', 'Caf' || convert_from(decode('c3a9', 'hex'), 'UTF8'), 'there', urgent => true, dedupe_key => 'a', expires_at => now() + interval '1 day')).id;
            select nudged_api.set_reminder('\(two)', 'task', '\(Self.capitals)', 'Hi', 'there', due_at => now() + interval '1 hour');
            """
        )
        try scene.expect("select subject_id from nudged_api.list_reminders('\(two)')", Self.capitals.lowercased())
        try scene.sql("insert into nudged.template (title, body) values ('Hi {first_name}', '{{ }}')")
        try scene.sql("update nudged.occurrence set due_at = now() - interval '1 minute'")
    }
}
