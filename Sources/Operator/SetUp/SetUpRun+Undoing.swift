import Core
import Glibc
import Postgres
import Service

/// `nudged setup --undo`.
extension SetUpRun {
    package var undoing: [String] {
        (hasUnit ? ["systemctl disable --now nudged"] : []) + [
            "rm \(files.key) \(files.url) \(files.configuration)",
            "in \(owner):",
            "    drop schema nudged, nudged_api, nudged_me cascade: the record, messages and reminders are lost",
            "    drop owned by nudged_daemon, nudged_app, nudged_writer; drop these roles",
            "your app's tables stay. So do columns and tables that nudged added",
        ]
    }

    package func undo(_ tell: (String) -> Void) async throws {
        let lock = try files.lock()
        defer { close(lock) }
        if let url = SetUpFiles.text(files.url), !isOurs(url) {
            let way = "give the URL of that database, or remove the files yourself"
            throw CommandFailure("the files in \(files.folder) are of another database: \(way)", .configuration)
        }
        // A database that doesn't answer leaves the service as it is.
        try await Connection.once(owner) { _ in }
        if hasUnit {
            try Self.run("systemctl disable --now nudged")
            tell("systemctl disable --now nudged")
        }
        try await Connection.once(owner) { (connection) async throws(PostgresError) in
            let isOurs = Statement("set_up_is_ours", sql: "select to_regclass('nudged.migration') is not null")
            if try await connection.run(isOurs).bool(0, 0) {
                try await dropSchemas(connection)
                tell("dropped the schemas nudged, nudged_api and nudged_me")
            } else {
                tell("no migration of nudged is in this database, so its schemas stay")
            }
            for role in [SetUpAnswers.role, "nudged_app", "nudged_writer"] { await drop(role, connection, tell) }
        }
        for file in try files.remove() { tell("removed \(file)") }
    }

    /// The app's reads wait behind a lock that waits. So it waits only briefly, and tries again.
    private func dropSchemas(_ connection: Connection) async throws(PostgresError) {
        let script = "set local lock_timeout = '500ms'; drop schema if exists nudged, nudged_api, nudged_me cascade"
        for attempt in 1... {
            do throws(PostgresError) {
                return try await connection.execute(script: script, timeout: .seconds(600))
            } catch {
                guard error.sqlState == "55P03", attempt < 60 else { throw error }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// A role that owns something of the app, or that another database needs, stays.
    private func drop(_ role: String, _ connection: Connection, _ tell: (String) -> Void) async {
        let revoke = """
            do $$ begin
                if exists (select from pg_roles r where rolname = '\(role)' and not exists (
                    select from pg_shdepend
                    where refclassid = 'pg_authid'::regclass and refobjid = r.oid and deptype = 'o'
                        and dbid = (select oid from pg_database where datname = current_database())
                )) then
                    if not pg_has_role(current_user, '\(role)', 'usage') then grant \(role) to current_user; end if;
                    drop owned by \(role);
                end if;
            end $$
            """
        do throws(PostgresError) {
            try await connection.execute(script: revoke)
            try await connection.execute(script: "drop role if exists \(role)")
            tell("dropped the role \(role)")
        } catch {
            let why = error.sqlState == "2BP01" ? "another database or the app uses it" : "\(error)"
            tell("the role \(role) stays: \(why)")
        }
    }
}
