import Service
import Core
import Systemd

/// What `nudged migrate` will do in a database, and what is in the way. Nothing is applied while anything is.
struct MigrationPlan: Sendable, Equatable {
    struct Options: Sendable, Equatable {
        /// Make the app's tables, even beside others.
        var createsTables = false
        /// Let check-ins use the built-in templates.
        var usesTemplates = false
    }

    struct Step: Sendable, Equatable {
        let label: String
        let text: String
    }

    /// How one of the app's tables is used.
    private enum Source {
        case made
        case found(SetUpFacts.Relation)
        /// By a view that the app has made.
        case mapped(SetUpFacts.Relation, table: SetUpFacts.Relation?)

        var isMade: Bool { if case .made = self { true } else { false } }
        var isMapped: Bool { if case .mapped = self { true } else { false } }
    }

    let faults: [Finding]
    let steps: [Step]
    /// The faults include tables that would be made although the database has others.
    let needsMapping: Bool
    private let head: String

    init(_ facts: SetUpFacts, pending: [Migration], options: Options = Options()) {
        let isFirst = pending.contains { $0.number == 1 }
        let tables: [(AppTable, Source)] = isFirst ? AppTable.all.map { ($0, Self.source($0, facts)) } : []
        let made = tables.filter { $0.1.isMade }.map { $0.0.name }
        let isUnmapped = !made.isEmpty && !facts.otherTables.isEmpty && !options.createsTables

        var faults = Self.serverFaults(facts) + Self.schemaFaults(facts, isFirst: isFirst)
        for (table, source) in tables {
            switch source {
            case .made: break
            case .found(let relation): faults += Self.tableFaults(table, relation, facts.role)
            case .mapped(let view, _): faults += Self.viewFaults(table.view, view, facts.role)
            }
        }
        if !made.isEmpty, !facts.mayCreateTables { faults.append(Self.mayNotCreate(made, facts.role)) }
        if isUnmapped { faults.append(Self.unmapped(made, facts.otherTables)) }

        self.faults = faults
        needsMapping = isUnmapped
        var steps = Self.schemaSteps(facts, pending, tables)
        for (table, source) in tables { steps += Self.tableSteps(table, source) }
        steps += Self.triggerSteps(tables, facts)
        steps += Self.roleSteps(facts, pending)
        steps += Self.writerSteps(tables, facts)
        steps += Self.templateSteps(pending, options)
        self.steps = steps
        head =
            "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending in database "
            + "\(facts.database), for role \(facts.role)"
    }

    /// `success` if nothing is in the way.
    var status: ExitStatus {
        faults.first { $0.status == .configuration }?.status ?? faults.first?.status ?? .success
    }

    /// For a person: the faults, then what is done.
    var lines: [String] {
        var lines: [String] = []
        if !faults.isEmpty {
            lines.append("nothing was changed: \(Elapsed.counted(faults.count, "fault", "faults"))")
            for fault in faults {
                lines.append("  error  \(fault.found)")
                if let remedy = fault.remedy { lines.append("         fix: \(remedy)") }
            }
            if needsMapping { lines += AppTable.mapping.map { "           \($0)" } }
            lines.append("")
        }
        lines.append(faults.isEmpty ? head + ":" : "after these fixes, nudged migrate will:")
        return lines
            + steps.map { step in
                "  " + step.label + String(repeating: " ", count: max(1, 11 - step.label.count)) + step.text
            }
    }

    private static func source(_ table: AppTable, _ facts: SetUpFacts) -> Source {
        let view = facts.relations.first { $0.schema == "nudged" && $0.name == table.view.rawValue }
        let found = facts.relations.first { $0.schema == "public" && $0.name == table.name }
        if let view { return .mapped(view, table: found) }
        if let found { return .found(found) }
        return .made
    }

    // MARK: What is in the way

    private static func serverFaults(_ facts: SetUpFacts) -> [Finding] {
        let place = Finding.Place(.database, "server")
        var faults: [Finding] = []
        if facts.versionNumber < 150_000 {
            faults.append(
                place.error(
                    "PostgreSQL \(facts.version) is too old",
                    remedy: "use PostgreSQL 15 or newer",
                    .configuration
                )
            )
        }
        if facts.encoding == "SQL_ASCII" {
            let (found, remedy) = DatabaseAnswers.withoutEncoding
            faults.append(place.error(found, remedy: remedy, .configuration))
        }
        if !facts.isWritable {
            faults.append(
                place.error(
                    "the server takes no writes: it is a standby, or its transactions are read-only",
                    remedy: "name the primary in database.url (DATABASE_URL), "
                        + "or end the read-only mode (default_transaction_read_only)",
                    .configuration
                )
            )
        }
        return faults
    }

    private static func schemaFaults(_ facts: SetUpFacts, isFirst: Bool) -> [Finding] {
        let place = Finding.Place(.database, "schema")
        var faults: [Finding] = []
        if !facts.mayCreateSchema {
            faults.append(
                place.error(
                    "\(facts.role) may not create a schema in database \(facts.database)",
                    remedy: "run it as the owner of the app's tables; or as the database's owner: "
                        + "grant create on database \(facts.database) to \(facts.role)",
                    .permission
                )
            )
        }
        if let owner = facts.schemaOwner, !facts.ownsSchema {
            faults.append(foreign("schema nudged", owner, facts.role))
        }
        if let owner = facts.apiOwner {
            if !facts.ownsAPI {
                faults.append(foreign("schema nudged_api", owner, facts.role))
            } else if isFirst {
                faults.append(
                    place.error(
                        "no migration is applied, but there is a schema nudged_api",
                        remedy: "rename that schema, or drop it if nothing needs it: drop schema nudged_api",
                        .configuration
                    )
                )
            }
        }
        let strange = facts.held.filter { !["migration", "recipient", "device"].contains($0) }
        if isFirst, !strange.isEmpty {
            faults.append(
                place.error(
                    "no migration is applied, but schema nudged holds \(listed(strange))",
                    remedy: "rename that schema; if nudged made it, restore its rows of nudged.migration from a backup",
                    .configuration
                )
            )
        }
        return faults
    }

    private static func tableFaults(_ table: AppTable, _ found: SetUpFacts.Relation, _ role: String) -> [Finding] {
        let place = Finding.Place(.database, "app_tables")
        let name = "public.\(table.name)"
        let orMap = "or map your table by the view nudged.\(table.view.rawValue) (docs/SQL.md, \"Other tables\")"
        guard ["r", "p"].contains(found.kind) else {
            return [
                place.error(
                    "\(name) is \(kind(found.kind)), but nudged needs a table for its triggers",
                    remedy: "rename it, \(orMap)",
                    .configuration
                )
            ]
        }
        var faults = found.isOurs ? [] : [foreign(name, found.owner, role)]
        for wanted in table.columns {
            let usual = wanted.types.first ?? "text"
            if let column = found.columns.first(where: { $0.name == wanted.name }) {
                if wanted.types.isEmpty || wanted.types.contains(where: { isType(column.type, $0) }) { continue }
                faults.append(
                    place.error(
                        "\(name).\(wanted.name) is of type \(column.type), not \(usual)",
                        remedy: "alter table \(name) alter column \(wanted.name) type \(usual) using …, \(orMap)",
                        .configuration
                    )
                )
            } else if wanted.ifMissing == .refused {
                faults.append(
                    place.error(
                        "\(name) has no column \(wanted.name) (\(usual))",
                        remedy: "alter table \(name) rename column … to \(wanted.name), \(orMap)",
                        .configuration
                    )
                )
            }
        }
        return faults
    }

    /// Of a view that the app has made.
    private static func viewFaults(
        _ view: DatabaseFacts.View,
        _ found: SetUpFacts.Relation,
        _ role: String
    ) -> [Finding] {
        let place = Finding.Place(.database, view.rawValue)
        let name = "nudged.\(view.rawValue)"
        let remedy = "make it a view with these columns: \(view.shape)"
        guard found.kind == "v" else {
            return [place.error("\(name) is \(kind(found.kind)), not a view", remedy: remedy, .configuration)]
        }
        var faults = found.isOurs ? [] : [foreign(name, found.owner, role)]
        for wanted in view.columns {
            let column = found.columns.first { $0.name == wanted.name }
            if let column, wanted.types.isEmpty || wanted.types.contains(column.type) { continue }
            let what = column.map { "\(name).\(wanted.name) is of type \($0.type), not \(wanted.types[0])" }
            faults.append(place.error(what ?? "\(name) has no column \(wanted.name)", remedy: remedy, .configuration))
        }
        return faults
    }

    private static func mayNotCreate(_ made: [String], _ role: String) -> Finding {
        Finding.Place(.database, "app_tables").error(
            "\(role) may not create \(listed(made)) in schema public",
            remedy: "run it as the owner of the app's tables; or as the schema's owner: "
                + "grant create on schema public to \(role)",
            .permission
        )
    }

    private static func unmapped(_ made: [String], _ others: [String]) -> Finding {
        Finding.Place(.database, "app_tables").error(
            "schema public has tables (\(listed(others))), but \(made.map { "no \($0)" }.joined(separator: " and "))",
            remedy: "to let nudged create them: nudged migrate --create-tables; "
                + "if your tables have other names, map them by two views (docs/SQL.md, \"Other tables\"):",
            .configuration
        )
    }

    private static func foreign(_ what: String, _ owner: String, _ role: String) -> Finding {
        Finding.Place(.database, "owner").error(
            "\(what) belongs to \(owner), and \(role) is not a member of that role",
            remedy: "run nudged migrate as \(owner), or: grant \(owner) to \(role)",
            .permission
        )
    }

    // MARK: What is done

    private static func schemaSteps(
        _ facts: SetUpFacts,
        _ pending: [Migration],
        _ tables: [(AppTable, Source)]
    ) -> [Step] {
        let mapped = tables.filter { $0.1.isMapped }.count
        let counts = [
            // The table of migrations is made before the first one.
            ("table", "tables", facts.held.contains("migration") ? 0 : 1), ("view", "views", -mapped),
            ("function", "functions", 0),
        ].map { one, many, more in
            Elapsed.counted(pending.reduce(more) { $0 + $1.count(creating: one) }, one, many)
        }
        return [
            Step(label: "apply", text: pending.map(\.label).joined(separator: ", ")),
            Step(
                label: "create",
                text: (facts.schemaOwner == nil ? "the schemas nudged and nudged_api with " : "in nudged's schemas ")
                    + "\(counts[0]), \(counts[1]) and \(counts[2])"
            ),
        ]
    }

    private static func tableSteps(_ table: AppTable, _ source: Source) -> [Step] {
        switch source {
        case .made: return [Step(label: "create", text: "table public.\(table.name), for the app's \(table.holds)")]
        case .mapped(let view, _):
            return [Step(label: "read", text: "\(table.holds) by the app's view nudged.\(view.name)")]
        case .found(let relation):
            let added = table.columns.compactMap { column -> String? in
                let isThere = relation.columns.contains { $0.name == column.name }
                guard case .added(let type) = column.ifMissing, !isThere else { return nil }
                return "\(column.name) \(type)"
            }
            let use = Step(label: "use", text: "table public.\(table.name) of \(relation.owner), for \(table.holds)")
            if added.isEmpty { return [use] }
            return [use, Step(label: "add", text: "to public.\(table.name): \(added.joined(separator: ", "))")]
        }
    }

    private static func triggerSteps(_ tables: [(AppTable, Source)], _ facts: SetUpFacts) -> [Step] {
        let unless = facts.isDistributed ? ", unless Citus distributes it" : ""
        return tables.map { table, source in
            var names = table.triggers
            switch source {
            case .made: names += AppTable.ownTriggers[table.name] ?? []
            case .found: break
            case .mapped(_, let found):
                let hasUser = found?.columns.contains { $0.name == "user_id" && $0.type == "uuid" } ?? false
                guard found?.isRead == true, hasUser else {
                    return Step(
                        label: "triggers",
                        text: "none for \(table.holds): after a change the app calls nudged_api.touch(user_id)"
                    )
                }
            }
            return Step(
                label: "triggers",
                text: "on public.\(table.name): \(names.joined(separator: ", "))\(unless)"
            )
        }
    }

    private static func roleSteps(_ facts: SetUpFacts, _ pending: [Migration]) -> [Step] {
        let missing = ["nudged_daemon", "nudged_app", "nudged_writer"].filter { !facts.roles.contains($0) }
        guard pending.contains(where: { $0.number == 6 }), let last = missing.last else { return [] }
        let names = missing.count == 1 ? last : missing.dropLast().joined(separator: ", ") + " and \(last)"
        return [
            Step(
                label: "roles",
                text: facts.mayCreateRoles
                    ? "create \(names)" : "\(names) can't be created by \(facts.role); a later step says how"
            )
        ]
    }

    /// What nudged_writer may do with a table of the app: it owns the functions that write it.
    private static func writerSteps(_ tables: [(AppTable, Source)], _ facts: SetUpFacts) -> [Step] {
        guard tables.contains(where: { $0.0.name == "push_tokens" && !$0.1.isMade }),
            let table = facts.relations.first(where: { $0.schema == "public" && $0.name == "push_tokens" })
        else { return [] }
        let grant = "grant select, insert, update, delete on public.push_tokens to nudged_writer"
        return [
            Step(
                label: "rights",
                text: table.isOurs
                    ? grant
                    : "\(facts.role) may not give them; as \(table.owner): \(grant); "
                        + "then, as \(facts.role): select nudged.grant_roles()"
            )
        ]
    }

    private static func templateSteps(_ pending: [Migration], _ options: Options) -> [Step] {
        guard options.usesTemplates || pending.contains(where: { $0.number == 7 }) else { return [] }
        return [
            Step(
                label: "texts",
                text: options.usesTemplates
                    ? "check-ins use the six built-in templates, in English"
                    : "check-ins use checkIn.title and checkIn.body; six built-in templates stay inactive "
                        + "(--with-templates)"
            )
        ]
    }

    // MARK: Text

    /// The first few of many.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and others" : shown
    }

    private static func kind(_ kind: String) -> String {
        switch kind {
        case "r", "p": "a table"
        case "v": "a view"
        case "m": "a materialized view"
        case "f": "a foreign table"
        default: "neither a table nor a view"
        }
    }

    /// A type of an extension has its schema's name before it, unless the search path finds it.
    private static func isType(_ type: String, _ wanted: String) -> Bool {
        type == wanted || type.hasSuffix(".\(wanted)")
    }
}
