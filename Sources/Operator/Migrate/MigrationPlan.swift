import Core
import Policy
import Service
import Systemd

/// What `nudged migrate` will do in a database, and what is in the way. Nothing is applied while anything is.
struct MigrationPlan: Sendable {
    private struct Source {
        let table: AppTable
        /// The app's own view of it. Then the table may have any columns, or be missing.
        let view: SetUpFacts.Relation?
        let found: SetUpFacts.Relation?

        var isMade: Bool { view == nil && found == nil }
        var isNudgeds: Bool { view == nil && (found?.isNudgeds ?? true) }
    }

    private let facts: SetUpFacts
    private let pending: [Migration]
    var createsTables = false
    var usesTemplates = false
    private let tables: [Source]

    init(_ facts: SetUpFacts, pending: [Migration]) {
        (self.facts, self.pending) = (facts, pending)
        func relation(_ schema: String, _ name: String) -> SetUpFacts.Relation? {
            facts.relations.first { $0.schema == schema && $0.name == name }
        }
        let all = AppTable.all.map { table in
            Source(table: table, view: relation("nudged", table.view.rawValue), found: relation("public", table.name))
        }
        tables = pending.contains { $0.number == 1 } ? all : []
    }

    var status: ExitStatus {
        let faults = faults
        return faults.first { $0.status == .configuration }?.status ?? faults.first?.status ?? .success
    }

    var lines: [String] {
        let faults = faults
        var lines: [String] = []
        if !faults.isEmpty {
            lines.append("nothing was changed: \(Elapsed.counted(faults.count, "fault", "faults"))")
            lines += faults.flatMap(\.lines)
            if needsMapping { lines += AppTable.mapping.map { "           \($0)" } }
            lines.append("")
        }
        let count = Elapsed.counted(pending.count, "migration is", "migrations are")
        let head = "\(count) pending in database \(facts.database), for role \(facts.role):"
        lines.append(faults.isEmpty ? head : "after these fixes, nudged migrate will:")
        let ofTables = tables.flatMap(tableSteps) + tables.map(triggerStep)
        let steps = schemaSteps + ofTables + roleSteps + writerSteps + templateSteps
        return lines + steps.map { "  \($0.label.padded(11))\($0.text)" }
    }

    private var made: [String] { tables.filter(\.isMade).map(\.table.name) }
    private var needsMapping: Bool { !made.isEmpty && !facts.otherTables.isEmpty && !createsTables }

    private var faults: [Finding] {
        var faults = serverFaults + schemaFaults
        for source in tables {
            if let view = source.view { faults += viewFaults(source.table.view, view) }
            if source.view == nil, let found = source.found { faults += tableFaults(source.table, found) }
        }
        faults += mayNotCreate(Self.listed(made), "schema", "public").when(!made.isEmpty && !facts.mayCreateTables)
        let missing = made.map { "no \($0)" }.joined(separator: " and ")
        let map = "if your tables have other names, map them by two views (docs/TABLES.md, \"Other tables\"):"
        return faults
            + Finding.error("schema public has tables (\(Self.listed(facts.otherTables))), but \(missing)")
            .fix("to let nudged create them: nudged migrate --create-tables; \(map)").when(needsMapping)
    }

    private var serverFaults: [Finding] {
        let old = Finding.error("PostgreSQL \(facts.version) is too old").fix("use PostgreSQL 15 or newer")
        let encoding = DatabaseVerdicts.encoding(facts.encoding)
        let end = "end the read-only mode (default_transaction_read_only)"
        let closed = Finding.error("the server takes no writes: it is a standby, or its transactions are read-only")
            .fix("name the primary in database.url (DATABASE_URL), or \(end)")
        return old.when(facts.versionNumber < 150_000) + encoding.when(encoding.level == .error)
            + closed.when(!facts.isWritable)
    }

    private func mayNotCreate(_ what: String, _ kind: String, _ name: String) -> Finding {
        let grant = "grant create on \(kind) \(name) to \(facts.role)"
        return .error("\(facts.role) may not create \(what) in \(kind) \(name)", .permission)
            .fix("run it as the owner of the app's tables; or as the \(kind)'s owner: \(grant)")
    }

    private var schemaFaults: [Finding] {
        let isFirst = !tables.isEmpty
        var faults = mayNotCreate("a schema", "database", facts.database).when(!facts.mayCreateSchema)
        if let owner = facts.schemaOwner { faults += foreign("schema nudged", owner).when(!facts.ownsSchema) }
        if let owner = facts.apiOwner, isFirst {
            let what = "no migration is applied, but there is a schema \(facts.apiSchema) of \(owner)"
            let rename = "as \(owner): alter schema \(facts.apiSchema) rename to …"
            faults.append(.error(what).fix("\(rename); or if nothing needs it: drop schema \(facts.apiSchema)"))
        } else if let owner = facts.apiOwner {
            faults += foreign("schema \(facts.apiSchema)", owner).when(!facts.ownsAPI)
        }
        let strange = facts.held.filter { !["migration", "recipient", "device"].contains($0) }
        let holds = Finding.error("no migration is applied, but schema nudged holds \(Self.listed(strange))")
            .fix("rename that schema; if nudged made it, restore its rows of nudged.migration from a backup")
        return faults + holds.when(isFirst && !strange.isEmpty)
    }

    private func tableFaults(_ table: AppTable, _ found: SetUpFacts.Relation) -> [Finding] {
        let name = "public.\(table.name)"
        let orMap = "or map your table by the view nudged.\(table.view.rawValue) (docs/TABLES.md, \"Other tables\")"
        guard ["r", "p"].contains(found.kind) else {
            let what = "\(name) is \(Self.kind(found.kind)), but nudged needs a table for its triggers"
            return [.error(what).fix("rename it, \(orMap)")]
        }
        var faults = found.isOurs ? [] : [foreign(name, found.owner)]
        for wanted in table.columns {
            let usual = wanted.types.first ?? "text"
            if let type = found.columns[wanted.name] {
                // A type of an extension has its schema's name before it, unless the search path finds it.
                if wanted.isGood(type) || wanted.types.contains(where: { type.hasSuffix(".\($0)") }) { continue }
                let fix = "alter table \(name) alter column \(wanted.name) type \(usual) using …, \(orMap)"
                faults.append(.error("\(name).\(wanted.name) is of type \(type), not \(usual)").fix(fix))
            } else if wanted.isNeeded, wanted.added == nil {
                let what = "\(name) has no column \(wanted.name) (\(usual))"
                faults.append(.error(what).fix("alter table \(name) rename column … to \(wanted.name), \(orMap)"))
            }
        }
        return faults
    }

    private func viewFaults(_ view: DatabaseFacts.View, _ found: SetUpFacts.Relation) -> [Finding] {
        let name = "nudged.\(view.rawValue)"
        let fix = "make it a view with these columns: \(view.shape)"
        guard found.kind == "v" else { return [.error("\(name) is \(Self.kind(found.kind)), not a view").fix(fix)] }
        var faults = found.isOurs ? [] : [foreign(name, found.owner)]
        for wanted in view.columns {
            let type = found.columns[wanted.name]
            if type.map(wanted.isGood) ?? false { continue }
            let other = type.map { "\(name).\(wanted.name) is of type \($0), not \(wanted.types[0])" }
            faults.append(.error(other ?? "\(name) has no column \(wanted.name)").fix(fix))
        }
        return faults
    }

    private func foreign(_ what: String, _ owner: String) -> Finding {
        .error("\(what) belongs to \(owner), and \(facts.role) is not a member of that role", .permission)
            .fix("run nudged migrate as \(owner), or: grant \(owner) to \(facts.role)")
    }

    private typealias Step = (label: String, text: String)

    private var schemaSteps: [Step] {
        let mapped = tables.count { $0.view != nil }
        // The table of migrations is made before the first one.
        let own = facts.held.contains("migration") ? 0 : 1
        let counts = [("table", own), ("view", -mapped), ("function", 0)].map { one, more in
            Elapsed.counted(pending.reduce(more) { $0 + $1.count(creating: one) }, one, "\(one)s")
        }
        let place =
            facts.schemaOwner == nil ? "the schemas nudged, nudged_api and nudged_me with" : "in nudged's schemas"
        return [
            ("apply", pending.map(\.label).joined(separator: ", ")),
            ("create", "\(place) \(counts[0]), \(counts[1]) and \(counts[2])"),
        ]
    }

    private func tableSteps(_ source: Source) -> [Step] {
        let table = source.table
        if let view = source.view { return [("read", "\(table.holds) by the app's view nudged.\(view.name)")] }
        guard let found = source.found else {
            return [("create", "table public.\(table.name), for the app's \(table.holds)")]
        }
        let added = table.columns.compactMap { column -> String? in
            found.columns[column.name] != nil ? nil : column.added.map { "\(column.name) \($0)" }
        }
        let use: Step = ("use", "table public.\(table.name) of \(found.owner), for \(table.holds)")
        return added.isEmpty ? [use] : [use, ("add", "to public.\(table.name): \(added.joined(separator: ", "))")]
    }

    private func triggerStep(_ source: Source) -> Step {
        let (table, found) = (source.table, source.found)
        if source.view != nil, found?.isRead != true || found?.columns["user_id"] != "uuid" {
            return ("triggers", "none for \(table.holds): after a change the app calls nudged_api.touch(user_id)")
        }
        let names = table.triggers + (source.isNudgeds ? table.ownTriggers : [])
        let unless = facts.isDistributed ? ", unless Citus distributes it" : ""
        return ("triggers", "on public.\(table.name): \(names.joined(separator: ", "))\(unless)")
    }

    private var roleSteps: [Step] {
        let missing = ["nudged_daemon", "nudged_app", "nudged_writer"].filter { !facts.roles.contains($0) }
        guard pending.contains(where: { $0.number == 6 }), !missing.isEmpty else { return [] }
        let names = missing.listed("and")
        let cannot = "\(names) can't be created by \(facts.role); a later step says how"
        return [("roles", facts.mayCreateRoles ? "create \(names)" : cannot)]
    }

    /// What nudged_writer may do with a table of the app: it owns the functions that write it.
    private var writerSteps: [Step] {
        guard let table = tables.first(where: { $0.table.name == "push_tokens" })?.found else { return [] }
        let grant = "grant select, insert, update, delete on public.push_tokens to nudged_writer"
        let then = "then, as \(facts.role): select nudged.grant_roles()"
        let others = "\(facts.role) may not give them; as \(table.owner): \(grant); \(then)"
        return [("rights", table.isOurs ? grant : others)]
    }

    private var templateSteps: [Step] {
        if usesTemplates { return [("texts", "check-ins use the six built-in templates, in English")] }
        guard pending.contains(where: { $0.number == 7 }) else { return [] }
        let inactive = "the six built-in templates stay inactive (--with-templates)"
        return [("texts", "check-ins need a template of yours in nudged.template; \(inactive)")]
    }

    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and others" : shown
    }

    private static func kind(_ kind: String) -> String {
        let kinds = ["r": "a table", "p": "a table", "v": "a view", "m": "a materialized view", "f": "a foreign table"]
        return kinds[kind] ?? "neither a table nor a view"
    }
}
