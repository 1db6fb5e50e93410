import Core
import Postgres
import Service

extension DatabaseVerdicts {
    static func migrations(_ state: Migrator.SchemaState) -> Finding {
        let fix = "run nudged migrate as the role that owns the app's tables (--dry-run: only say what it would do)"
        switch state {
        // `bindings` names what is misbound.
        case .current, .misbound: return .ok("all \(Migration.all.count) are applied")
        case .newer(let newest):
            let newer = "a newer nudged has applied migration \(newest)"
            return .ok("\(newer); this version works with it, and can be upgraded later")
        case .behind(let pending, _) where pending.count == Migration.all.count:
            return .error("the database has no schema nudged yet").fix(fix)
        case .behind(let pending, let isUsable):
            let first = pending.first.map { "\($0.number)_\($0.name)" } ?? "?"
            let several = "\(pending.count) are pending, the first is \(first)"
            let found = pending.count == 1 ? "\(first) is pending" : several
            return isUsable ? .warning("\(found); this version works without").fix(fix) : .error(found).fix(fix)
        case .hidden: return .error(state.text, .permission).fix(nil)
        default: return .error(state.text).fix(nil)
        }
    }

    static func role(_ server: Facts.Server) -> Finding {
        let fix = "let the daemon connect as nudged_daemon, which has only the rights it needs (docs/TABLES.md)"
        if server.isSuperuser {
            return .warning("\(server.role) is a superuser: its password opens the whole server").fix(fix)
        }
        if server.bypassesRowSecurity {
            return .warning("\(server.role) has BYPASSRLS: row-level security does not apply to it").fix(fix)
        }
        return server.ownsTables
            ? .ok("\(server.role) owns nudged's tables; nudged_daemon has fewer rights")
            : .ok("\(server.role): no superuser, no BYPASSRLS, owns nothing of nudged")
    }

    /// Who may create functions that a statement of the app could call by mistake.
    static func creators(_ server: Facts.Server) -> Finding {
        guard !server.creators.isEmpty else {
            return .ok("only owners and superusers can create functions in public and pg_catalog")
        }
        let words = server.creators
        let creators = stride(from: 0, to: words.count - 1, by: 2).map { (schema: words[$0], role: words[$0 + 1]) }
        let all = creators.map { "\($0.role.isEmpty ? "everybody" : $0.role) in \($0.schema)" }.joined(separator: ", ")
        let revokes = creators.map { schema, role in
            "revoke create on schema \(schema) from \(role.isEmpty ? "public" : role)"
        }
        let risk = "The app's views and triggers may call such a function by mistake. nudged's own statements don't"
        return .warning("other roles can create functions: \(all). \(risk)").fix(revokes.joined(separator: "; "))
    }

    static func noUsage(_ server: Facts.Server) -> Finding {
        .error("\(server.role) has no right to use schema nudged", .permission)
            .fix("connect as nudged_daemon, or grant \(server.role) what the daemon needs (docs/TABLES.md)")
    }

    static func rights(_ rights: [(right: DaemonRight, exists: Bool, isGranted: Bool)], of who: String) -> [Finding] {
        let gone = Set(rights.filter { !$0.exists }.map { "nudged.\($0.right.object)" }).sorted()
        let missing = rights.filter { $0.exists && !$0.isGranted }.map(\.right)
        let restore = "otherwise somebody dropped them: restore them from a backup"
        let lost = Finding.error("missing: \(gone.joined(separator: ", "))")
            .fix("if migrations are pending, run nudged migrate; \(restore)")
        let fix = who == "nudged_daemon" ? grantRoles : missing.map { $0.grant(to: who) }.joined(separator: "; ")
        var found = lost.when(!gone.isEmpty)
        found += Finding.error("\(who) lacks \(named(missing))", .permission).fix(fix).when(!missing.isEmpty)
        return found.isEmpty ? [.ok("all \(rights.count) that the daemon needs are granted")] : found
    }

    /// `insert, delete on nudged.intent; execute on nudged.maintain_delivery`.
    private static func named(_ rights: [DaemonRight]) -> String {
        rights.map(\.object).distinct.map { object in
            let privileges = rights.filter { $0.object == object }.map(\.privilege)
            return "\(privileges.joined(separator: ", ")) on nudged.\(object)"
        }.joined(separator: "; ")
    }

    private static let grantRoles = "as the owner of schema nudged: select nudged.grant_roles()"

    static func excessRights(_ rights: [ExcessRight]) -> [Finding] {
        let fix = "\(grantRoles) (or one by one: select statement from nudged.excess_right)"
        let roles = RoleExcess.all(rights)
        guard !roles.isEmpty else { return [.ok("no role has rights beyond nudged.role_right")] }
        return roles.map { role in
            let found = "\(role.who) has \(Elapsed.counted(role.count, "right", "rights")) too many: \(role.text)"
            let details = role.rights.map(\.statement)
            return role.isOpen
                ? .error(found, .permission, details: details).fix(fix)
                : .warning(found, details: details).fix(fix)
        }
    }

    static func writer(_ written: [Facts.Written]) -> [Finding] {
        guard let first = written.first else { return [.ok("nudged's functions write no table of the app")] }
        let names = first.foreign.map { "nudged.\($0)" }.joined(separator: ", ")
        let owners = first.owners.joined(separator: ", ")
        let tables = written.map(\.name).joined(separator: ", ")
        let rights = "\(names) run with the rights of \(owners), and so do the triggers of \(tables)"
        guard first.hasWriter else {
            let make = "create role nudged_writer nologin; grant nudged_writer to \(owners); then, \(grantRoles)"
            return [.warning("the role nudged_writer is missing: \(rights)").fix(make)]
        }
        let member = "if that role is no member of nudged_writer, first: grant nudged_writer to \(owners)"
        var found = written.flatMap(obstacles)
        found += Finding.warning(rights).fix("\(grantRoles); \(member)").when(!first.foreign.isEmpty)
        return found.isEmpty ? [.ok("nudged_writer owns the functions that write \(tables)")] : found
    }

    /// Why nudged_writer can't write a table. It is an error only if a function runs as nudged_writer.
    private static func obstacles(_ table: Facts.Written) -> [Finding] {
        func obstacle(_ text: String, fix: String) -> Finding {
            table.owned > 0
                ? .error("\(text): nudged's functions can't write it", .permission).fix(fix)
                : .warning(text).fix(fix)
        }
        let lacking = table.lacking.joined(separator: ", ")
        let grant = "grant \(lacking) on \(table.name) to nudged_writer; then, \(grantRoles)"
        let policy = "create policy nudged_writer on \(table.name) to nudged_writer using (true) with check (true)"
        let hides = "row-level security of \(table.name) hides rows from nudged_writer"
        return obstacle("nudged_writer lacks \(lacking) on \(table.name)", fix: "as its owner: \(grant)")
            .when(!table.lacking.isEmpty)
            + obstacle(hides, fix: "as its owner: \(policy)").when(table.isHidden)
    }

    static func bindings(_ faults: [BindingFault]) -> [Finding] {
        faults.isEmpty
            ? [.ok("views and triggers are bound to the app's tables")]
            : faults.map { .error($0.text).fix($0.remedy) }
    }

    typealias Column = (view: String, name: String, type: String)

    static func view(_ view: Facts.View, _ columns: [Column], _ reading: Known<Void>) -> Finding {
        let own = columns.filter { $0.view == view.rawValue }
        let name = "the view nudged.\(view.rawValue)"
        let redefine = "redefine the view with these columns: \(view.shape) (docs/TABLES.md)"
        if let fault = fault(view, own) {
            return .error("\(name) \(fault)").fix("\(redefine); then select nudged.grant_roles()")
        }
        switch reading {
        case .success:
            let isBare = view == .recipient && !own.contains { $0.name == "context" }
            let but = isBare ? " except context, so templates with placeholders are not used" : ""
            return .ok("\(name) can be read and has all columns\(but)")
        case .failure(let unanswered):
            guard let error = unanswered.error, error.code == .refusedByServer, !error.isTransient else {
                return .unchecked(unanswered.why)
            }
            let found = "\(name) can't be read: \(error.withoutRemedy)"
            guard error.sqlState == "42501" else { return .error(found).fix(redefine) }
            let reads = "grant select to the view's owner on the tables that it reads"
            return .error(found, .permission)
                .fix("\(reads), and to the daemon's role on the view: select nudged.grant_roles()")
        }
    }

    private static func fault(_ view: Facts.View, _ columns: [Column]) -> String? {
        if columns.isEmpty { return "does not exist" }
        let missing = view.columns.filter { wanted in !columns.contains { $0.name == wanted.name } }.map(\.name)
        if !missing.isEmpty { return "has no column \(missing.joined(separator: ", "))" }
        return view.columns.lazy.compactMap { wanted in
            columns.first { $0.name == wanted.name && !wanted.isGood($0.type) }
                .map { "has a column \($0.name) of type \($0.type), not \(wanted.types[0])" }
        }.first
    }

    static func rowSecurity(_ open: [String]) -> Finding {
        guard let first = open.first else { return .ok("on for all of nudged's tables") }
        let names = open.map { "nudged.\($0)" }.joined(separator: ", ")
        return .warning("off for \(names): a role with a right on them sees all rows")
            .fix("alter table nudged.\(first) enable row level security; then select nudged.grant_roles()")
    }

    /// nudged does not change the app's tables. It only reports what would improve them.
    static func appTables(_ tables: [(name: String, state: TableState)]) -> [Finding] {
        let read = tables.filter(\.state.isRead).map { (name: "public.\($0)", state: $1) }
        guard !read.isEmpty else { return [.ok("nudged's views read tables with other names")] }
        let lacks = read.flatMap(lacks)
        return lacks.isEmpty ? [.ok("\(read.map(\.name).joined(separator: " and ")): nothing is missing")] : lacks
    }

    struct TableState {
        var hasRowSecurity: Bool
        var hasUserIndex: Bool
        /// Those of Supabase's roles `anon` and `authenticated` that may read it.
        var readers: [String]
        var isRead: Bool
    }

    private static func lacks(_ name: String, _ table: TableState) -> [Finding] {
        let slow = Finding.warning("\(name) has no index that begins with user_id: each claim reads the whole table")
            .fix("create index concurrently on \(name) (user_id)")
        let readers = table.readers.joined(separator: " and ")
        let bare = "\(name) has no row-level security"
        let open = Finding.warning("\(bare), and \(readers) may read it: every user can see the rows of all")
            .fix("alter table \(name) enable row level security, with a policy for a user's own rows (docs/TABLES.md)")
        let closed = Finding.ok("\(bare), as nudged found it; only roles with a grant can read it")
        return slow.when(!table.hasUserIndex) + (readers.isEmpty ? closed : open).when(!table.hasRowSecurity)
    }
}

struct RoleExcess: Sendable, Equatable {
    /// `public` is every role.
    let role: String
    let rights: [ExcessRight]

    /// One for each role. First those that anybody can act as.
    static func all(_ rights: [ExcessRight]) -> [RoleExcess] {
        let first = ["public", "anon", "authenticated", "service_role"]
        let byRole = Dictionary(grouping: rights, by: \.role)
        let others = byRole.keys.filter { !first.contains($0) }.sorted()
        return (first + others).compactMap { role in byRole[role].map { RoleExcess(role: role, rights: $0) } }
    }

    var isOpen: Bool { ["public", "anon", "authenticated"].contains(role) }
    var who: String { role == "public" ? "every role (PUBLIC)" : role }

    /// One privilege on one object counts as one.
    var count: Int { rights.reduce(0) { $0 + $1.privileges.count } }

    /// `select on nudged.person, nudged.delivery and 26 more; execute on nudged.hold and 40 more`.
    var text: String {
        let lists = self.lists
        // A finding has 500 characters: room for twelve names, at least three of each list.
        let most = max(3, 12 / max(1, lists.count))
        let texts = lists.map { list in
            let more = list.objects.count - most
            let names = list.objects.prefix(most).joined(separator: ", ")
            return "\(list.privileges) on \(names)" + (more > 0 ? " and \(more) more" : "")
        }
        return texts.joined(separator: "; ")
    }

    /// By what the role may do. What holds data is first; the record's partitions, which say no more than it, are last.
    private var lists: [(privileges: String, objects: [String])] {
        let named = rights.map { (privileges: Self.named($0.privileges), object: Self.named($0.object)) }
        let last = ["execute", "usage"]
        let privileges = named.map(\.privileges).filter { !last.contains($0) }.distinct + last
        return privileges.compactMap { privileges in
            let objects = named.filter { $0.privileges == privileges }.map(\.object).distinct
            let days = objects.filter { $0.hasPrefix("nudged.delivery_") }
            return objects.isEmpty ? nil : (privileges, objects.filter { !days.contains($0) } + days)
        }
    }

    /// Those of a table. A newer PostgreSQL may have more.
    private static let ofTable: Set = ["select", "insert", "update", "delete", "truncate", "references", "trigger"]

    private static func named(_ privileges: [String]) -> String {
        ofTable.isSubset(of: privileges) ? "all" : privileges.sorted().joined(separator: ", ")
    }

    private static func named(_ object: String) -> String {
        if object.hasPrefix("new ") { return object }
        return object.contains(".") ? String(object.prefix { $0 != "(" }) : "schema \(object)"
    }
}

extension Array where Element: Hashable {
    var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
