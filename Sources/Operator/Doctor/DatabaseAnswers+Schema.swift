import Service
import Postgres
import Core
import Systemd

extension DatabaseAnswers {
    /// Migrations, roles, rights, bindings, views, row-level security, and the app's tables.
    var schemaFindings: [Finding] {
        [migrated, role, creating] + granted + excess + writing + bound + read + [protected] + found
    }

    // MARK: The schema

    var migrated: Finding {
        let place = Finding.Place(.database, "migrations")
        let migrate =
            "run nudged migrate as the role that owns the app's tables (--dry-run: only say what it would do)"
        switch schemaState {
        case .value(.current): return place.ok("all \(Migration.all.count) are applied")
        case .value(.newer(let newest)):
            return place.ok(
                "a newer nudged has applied migration \(newest); this version works with it, and can be upgraded later"
            )
        case .value(.behind(let pending)) where pending.count == Migration.all.count:
            return place.error("the database has no schema nudged yet", remedy: migrate, .configuration)
        case .value(.behind(let pending)):
            let first = pending.first.map { "\($0.number)_\($0.name)" } ?? "?"
            let found =
                pending.count == 1 ? "\(first) is pending" : "\(pending.count) are pending, the first is \(first)"
            return place.error(found, remedy: migrate, .configuration)
        case .value(.hidden): return place.error(Migrator.SchemaState.hidden.text, remedy: nil, .permission)
        // `bound` names what is misbound.
        case .value(.misbound): return place.ok("all \(Migration.all.count) are applied")
        case .value(let schemaState): return place.error(schemaState.text, remedy: nil, .configuration)
        case .failed(let error): return place.unchecked(error.description)
        case .unasked(let why): return place.unchecked(why)
        }
    }

    // MARK: Who we are, and what we may

    var role: Finding {
        let place = Finding.Place(.database, "role")
        return server.finding(place) { server in
            let remedy = "let the daemon connect as nudged_daemon, which has only the rights it needs (docs/SQL.md)"
            if server.isSuperuser {
                return place.warning(
                    "\(server.role) is a superuser: its password opens the whole server",
                    remedy: remedy
                )
            }
            if server.bypassesRowSecurity {
                return place.warning(
                    "\(server.role) has BYPASSRLS: row-level security does not apply to it",
                    remedy: remedy
                )
            }
            if server.ownsTables {
                return place.ok("\(server.role) owns nudged's tables; nudged_daemon has fewer rights")
            }
            return place.ok("\(server.role): no superuser, no BYPASSRLS, owns nothing of nudged")
        }
    }

    /// Who may create functions that a statement of the app could call by mistake.
    var creating: Finding {
        let place = Finding.Place(.database, "schemas")
        return server.finding(place) { server in
            guard !server.creators.isEmpty else {
                return place.ok("only owners and superusers can create functions in public and pg_catalog")
            }
            let all = server.creators.map { "\($0.role ?? "everybody") in \($0.schema)" }.joined(separator: ", ")
            let revokes = server.creators.map { "revoke create on schema \($0.schema) from \($0.role ?? "public")" }
            return place.warning(
                "other roles can create functions: \(all). The app's views and triggers may call such a function by "
                    + "mistake. nudged's own statements don't",
                remedy: revokes.joined(separator: "; ")
            )
        }
    }

    /// Schema nudged exists, but our role has no USAGE on it.
    func shut(_ server: DatabaseFacts.Server) -> Finding {
        Finding.Place(.database, "rights").error(
            "\(server.role) has no right to use schema nudged",
            remedy: "connect as nudged_daemon, or grant \(server.role) what the daemon needs (docs/SQL.md)",
            .permission
        )
    }

    private var granted: [Finding] {
        let place = Finding.Place(.database, "rights")
        let who = server.value?.role ?? "our role"
        return rights.findings(place) { rights in
            let gone = Set(rights.filter { !$0.exists }.map { "nudged.\($0.right.object)" }).sorted()
            let missing = rights.filter { $0.exists && !$0.isGranted }.map(\.right)
            var found: [Finding] = []
            if !gone.isEmpty {
                found.append(
                    place.error(
                        "missing: \(gone.joined(separator: ", "))",
                        remedy: "if migrations are pending, run nudged migrate; "
                            + "otherwise somebody dropped them: restore them from a backup",
                        .configuration
                    )
                )
            }
            if !missing.isEmpty {
                let grants = missing.map { $0.grant(to: who) }.joined(separator: "; ")
                let isStandard = who == "nudged_daemon"
                found.append(
                    place.error(
                        "\(who) lacks \(Self.named(missing))",
                        remedy: isStandard ? "as the owner of schema nudged: select nudged.grant_roles()" : grants,
                        .permission
                    )
                )
            }
            return found.isEmpty ? [place.ok("all \(rights.count) that the daemon needs are granted")] : found
        }
    }

    /// `insert, delete on nudged.intent; execute on nudged.maintain_delivery`.
    private static func named(_ rights: [DaemonRight]) -> String {
        var objects: [String] = []
        for right in rights where !objects.contains(right.object) { objects.append(right.object) }
        return objects.map { object in
            let privileges = rights.filter { $0.object == object }.map(\.privilege)
            return "\(privileges.joined(separator: ", ")) on nudged.\(object)"
        }.joined(separator: "; ")
    }

    // MARK: Views and triggers, which stay with a table that is renamed

    private var bound: [Finding] {
        let place = Finding.Place(.database, "bindings")
        return bindingFaults.findings(place) { faults in
            if faults.isEmpty { return [place.ok("views and triggers are bound to the app's tables")] }
            return faults.map { place.error($0.text, remedy: $0.remedy, .configuration) }
        }
    }

    // MARK: What the daemon reads

    private var read: [Finding] {
        DatabaseFacts.View.allCases.map { view in
            let place = Finding.Place(.database, view.rawValue)
            return columns.finding(place) { columns in
                let own = columns.filter { $0.view == view.rawValue }
                if let fault = Self.fault(view, own) {
                    return place.error(
                        "the view nudged.\(view.rawValue) \(fault)",
                        remedy: "redefine the view with these columns: \(view.shape) (docs/SQL.md); "
                            + "then select nudged.grant_roles()",
                        .configuration
                    )
                }
                return reading(view, place, own)
            }
        }
    }

    /// Reads the view with the daemon's own statement.
    private func reading(_ view: DatabaseFacts.View, _ place: Finding.Place, _ columns: [DatabaseFacts.Column])
        -> Finding
    {
        views.finding(place) { errors in
            let name = "the view nudged.\(view.rawValue)"
            guard let error = errors[view] else {
                let isBare = view == .recipient && !columns.contains { $0.name == "context" }
                return place.ok(
                    "\(name) can be read and has all columns"
                        + (isBare ? " except context, so templates with placeholders are not used" : "")
                )
            }
            if error.sqlState == "42501" {
                return place.error(
                    "\(name) can't be read: \(error.saying(remedy: false))",
                    remedy: "grant select to the view's owner on the tables that it reads, and to the daemon's role "
                        + "on the view: select nudged.grant_roles()",
                    .permission
                )
            }
            guard error.code == .refusedByServer, !error.isTransient else { return place.unchecked(error.description) }
            return place.error(
                "\(name) can't be read: \(error.saying(remedy: false))",
                remedy: "redefine the view with these columns: \(view.shape) (docs/SQL.md)",
                .configuration
            )
        }
    }

    /// What is wrong with a view's columns. Nil if nothing is.
    static func fault(_ view: DatabaseFacts.View, _ columns: [DatabaseFacts.Column]) -> String? {
        if columns.isEmpty { return "does not exist" }
        let missing = view.columns.filter { wanted in !columns.contains { $0.name == wanted.name } }.map(\.name)
        if !missing.isEmpty { return "has no column \(missing.joined(separator: ", "))" }
        for wanted in view.columns {
            guard let column = columns.first(where: { $0.name == wanted.name }), !wanted.types.isEmpty,
                !wanted.types.contains(column.type)
            else { continue }
            return "has a column \(column.name) of type \(column.type), not \(wanted.types[0])"
        }
        return nil
    }

    // MARK: Row-level security, and what a found table lacks

    private var protected: Finding {
        let place = Finding.Place(.database, "row_security")
        return openTables.finding(place) { open in
            guard let first = open.first else { return place.ok("on for all of nudged's tables") }
            return place.warning(
                "off for \(open.map { "nudged.\($0)" }.joined(separator: ", ")): "
                    + "a role with a right on them sees all rows",
                remedy: "alter table nudged.\(first) enable row level security; then select nudged.grant_roles()"
            )
        }
    }

    private var found: [Finding] {
        let place = Finding.Place(.database, "app_tables")
        return appTables.findings(place) { tables in
            let read = tables.filter { $0.exists && $0.isRead }
            guard !read.isEmpty else { return [place.ok("nudged's views read tables with other names")] }
            let lacks = read.flatMap { Self.lacks($0, place) }
            return lacks.isEmpty
                ? [place.ok("\(read.map { "public.\($0.name)" }.joined(separator: " and ")): nothing is missing")]
                : lacks
        }
    }

    /// nudged does not change the app's tables. It only reports what would improve them.
    private static func lacks(_ table: DatabaseFacts.AppTable, _ place: Finding.Place) -> [Finding] {
        var found: [Finding] = []
        if !table.hasUserIndex {
            found.append(
                place.warning(
                    "public.\(table.name) has no index that begins with user_id: each claim reads the whole table",
                    remedy: "create index concurrently on public.\(table.name) (user_id)"
                )
            )
        }
        if !table.hasRowSecurity {
            let name = "public.\(table.name) has no row-level security"
            found.append(
                table.readers.isEmpty
                    ? place.ok("\(name), as nudged found it; only roles with a grant can read it")
                    : place.warning(
                        "\(name), and \(table.readers.joined(separator: " and ")) may read it: "
                            + "every user can see the rows of all",
                        remedy: "alter table public.\(table.name) enable row level security, "
                            + "with a policy for a user's own rows (docs/SQL.md)"
                    )
            )
        }
        return found
    }
}
