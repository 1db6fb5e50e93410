import LocalPostgres
import TestSupport
import Testing

/// What `nudged migrate` says of databases in every state. See `TranscriptTests`.
@Suite(.ownThreads) struct MigrateTranscriptTests {
    /// Databases in which something is in the way of `nudged migrate`, and others that it can use.
    @Test func migrate_onOtherTables() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        try cluster.sql("create role app_owner login password '\(Scene.password)'; create role boss")
        let profiles =
            "create table context_profiles (user_id uuid primary key); alter table context_profiles owner to app_owner;"
        let tokens =
            "create table push_tokens (user_id uuid, device_token text); alter table push_tokens owner to app_owner;"
        let views = """
            create schema nudged; alter schema nudged owner to app_owner;
            create view nudged.recipient as select null::uuid as user_id, null::jsonb as preferences,
                null::text as timezone, true as first_session_complete;
            create view nudged.device as select null::uuid as user_id, null::text as token, now() as registered_at,
                null::text as environment, null::text as topic;
            alter view nudged.recipient owner to app_owner; alter view nudged.device owner to app_owner;
            """
        let cases: [(name: String, sql: String, options: String)] = [
            ("both tables are there", profiles + tokens + "create table chats ()", ""),
            ("with templates", profiles + tokens, "--with-templates"),
            (
                "columns and types differ",
                """
                create table context_profiles (user_id text, first_session_complete integer);
                create table push_tokens (owner uuid, created_at bigint);
                alter table context_profiles owner to app_owner; alter table push_tokens owner to app_owner
                """, ""
            ),
            (
                "a view has a table's name",
                profiles + "create view push_tokens as select 1 as user_id; alter view push_tokens owner to app_owner",
                ""
            ),
            (
                "types are as good",
                """
                create table context_profiles (user_id uuid, notification_preferences json) partition by hash (user_id);
                create table push_tokens (user_id uuid, device_token varchar, created_at date);
                alter table context_profiles owner to app_owner; alter table push_tokens owner to app_owner
                """, ""
            ),
            (
                "rights are missing",
                """
                create table context_profiles (user_id uuid); alter table context_profiles owner to boss;
                create schema nudged; alter schema nudged owner to boss; revoke create on schema public from app_owner
                """, "revoke"
            ),
            ("other tables", "create table users (); create table devices ()", ""),
            ("other tables, and tables are wanted", "create table users ()", "--create-tables"),
            ("many other tables", (1...12).map { "create table t\($0) ()" }.joined(separator: ";"), ""),
            ("mapped by views", views + "create table users ()", ""),
            (
                "mapped by a view that reads a table of nudged's name",
                profiles + tokens.replacing("to app_owner", with: "to boss") + views
                    + "drop view nudged.device; grant all on push_tokens to app_owner; create view nudged.device as select user_id, device_token as token, now() as registered_at, null::text as environment, null::text as topic from push_tokens; alter view nudged.device owner to app_owner",
                ""
            ),
            (
                "mapped by views that lack columns",
                views + """
                    drop view nudged.recipient, nudged.device;
                    create view nudged.recipient as select null::uuid as user_id, null::jsonb as preferences, true as first_session_complete;
                    create table nudged.device (user_id uuid);
                    alter view nudged.recipient owner to app_owner; alter table nudged.device owner to boss
                    """, ""
            ),
            (
                "schema nudged holds something",
                "create schema nudged authorization app_owner; create table nudged.x ()", ""
            ),
            ("schema nudged_api is another's", "create schema nudged_api authorization boss", ""),
            ("schema nudged_api is ours", "create schema nudged_api authorization app_owner", ""),
        ]
        let first = try await Scene(migrated: false, cluster: cluster)
        let transcript = Transcript(first, "migrate")
        for (number, one) in cases.enumerated() {
            let database = "case\(number)"
            try cluster.createDatabase(named: database)
            if one.options != "revoke" { try cluster.sql("grant create on database \(database) to app_owner") }
            try cluster.sql("grant create on schema public to app_owner; \(one.sql)", database: database)
            transcript.note(one.name)
            let url = cluster.tcpURL(database: database, user: "app_owner", password: Scene.password)
            let options = one.options == "revoke" ? "" : " \(one.options)"
            try await transcript.run("migrate --dry-run\(options)", with: ["DATABASE_URL": url])
        }
        let url = cluster.tcpURL(database: "case0", user: "app_owner", password: Scene.password)
        try await transcript.run("migrate", with: ["DATABASE_URL": url])
        for encoding in ["SQL_ASCII", "LATIN1"] {
            try cluster.sql(
                "create database \(encoding.lowercased()) encoding '\(encoding)' locale 'C' template template0"
            )
            let url = cluster.tcpURL(database: encoding.lowercased())
            try await transcript.run("migrate --dry-run", with: ["DATABASE_URL": url])
        }
        try cluster.createDatabase(named: "readonly")
        try cluster.sql("alter database readonly set default_transaction_read_only = on")
        try await transcript.run("migrate --dry-run", with: ["DATABASE_URL": cluster.tcpURL(database: "readonly")])
        try transcript.check()
    }

    /// Broad grants, a disabled trigger and a replaced table in a migrated database.
    @Test func migrate_whenTheSchemaIsCurrent() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await Scene(cluster: cluster)
        let transcript = Transcript(scene, "rebind")
        try transcript.sql(
            "a broad grant, and a trigger is gone",
            """
            create role anon; grant select on nudged.setting, nudged.device to anon;
            drop trigger nudged_profile_inserted on public.context_profiles
            """
        )
        try await transcript.run(
            "migrate --dry-run",
            "doctor --json | grep -o '\"id\":\"database.\\(excess_rights\\|bindings\\)\".*\"database.r' | head -1"
        )
        try await transcript.run("migrate", "migrate --dry-run")
        try transcript.check()
    }

    /// The script needs no configuration, and is found applied.
    @Test func sql_whenApplied_isRecognised() async throws {
        let scene = try await Scene(migrated: false)
        let script = try await scene.nudged(["migrate", "--sql"], ["DATABASE_URL": nil]).ends()
        try scene.sql("begin; \(script.output) commit")
        try await scene.nudged(["migrate"]).ends(0, output: "nothing to do: the schema is current", "next: ")
    }
}
