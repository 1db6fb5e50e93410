import Foundation
import TestSupport
import Testing

@testable import Core

/// docs/TABLES.md lists what the login nudged_daemon can do, as the catalog has it.
@Suite(.ownThreads) struct DaemonLoginPageTests {
    /// Everything outside the server's own schemas, PUBLIC's and inherited rights included.
    private static let rights = """
        with role as (select oid from pg_roles where rolname = 'nudged_daemon'),
        relation as (
            select c.oid, format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname !~ '^pg_|^information_schema$' and c.relkind in ('r', 'p', 'v', 'm', 'f')
        ),
        verb as (select * from unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) with ordinality as v (verb, place)),
        found as (
            select r.name as object, v.verb as privilege, v.place
            from relation r cross join verb v where has_table_privilege('nudged_daemon', r.oid, v.verb)
            union all
            select r.name, format('%s (%s)', v.verb, a.attname), v.place
            from relation r cross join verb v
            join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
            where v.verb not in ('delete', 'truncate', 'trigger') and not has_table_privilege('nudged_daemon', r.oid, v.verb)
              and has_column_privilege('nudged_daemon', r.oid, a.attnum, v.verb)
            union all
            select format('%I.%I', n.nspname, c.relname), v.verb, 1
            from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join unnest('{select,update,usage}'::text[]) as v (verb)
            where n.nspname !~ '^pg_|^information_schema$' and c.relkind = 'S' and has_sequence_privilege('nudged_daemon', c.oid, v.verb)
            union all
            select distinct format('%I.%I', n.nspname, p.proname), 'execute', 1
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace
            where n.nspname !~ '^pg_|^information_schema$' and has_function_privilege('nudged_daemon', p.oid, 'execute')
            union all
            select 'schema ' || n.nspname, v.verb, 1 from pg_namespace n cross join unnest('{usage,create}'::text[]) as v (verb)
            where n.nspname !~ '^pg_|^information_schema$' and has_schema_privilege('nudged_daemon', n.oid, v.verb)
            union all
            select 'this database', v.verb, 1 from unnest('{connect,temporary,create}'::text[]) as v (verb)
            where has_database_privilege('nudged_daemon', current_database(), v.verb)
            union all
            select 'role ' || r.rolname, 'member', 1 from pg_roles r, role where pg_has_role(role.oid, r.oid, 'member') and r.oid <> role.oid
            union all
            select 'itself', 'owner of ' || d.classid::regclass::text, 1 from pg_shdepend d, role where d.refobjid = role.oid and d.deptype = 'o'
            union all
            select 'itself', a.attribute, 1 from pg_roles r
            cross join lateral (values ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb), ('replication', rolreplication),
                ('bypassrls', rolbypassrls)) as a (attribute, has)
            where r.rolname = 'nudged_daemon' and a.has
        )
        select object || '|' || string_agg(privilege, ', ' order by place, privilege) from found group by object order by 1
        """

    /// What the page calls "functions that lock and read what the daemon needs".
    private static let readers = [
        "binding_faults", "context_text", "devices_left_out", "has_long_number", "hold_member", "hold_recipients",
        "is_misbound", "measured_context", "measured_preferences", "merged_quarantine", "opens", "preferences_text",
        "readable", "share_bounds", "subject_spellings",
    ]

    @Test func login_whenReadFromTheCatalog_canDoWhatThePageSays() async throws {
        let page = try Checkout.text("docs/TABLES.md")
        let section = try #require(
            page.components(separatedBy: "### What the daemon's login can do").dropFirst().first?
                .components(separatedBy: "\n#").first
        )
        var listed: Set<String> = []
        // - what it can do: rights on `object`, `object`
        for line in section.split(separator: "\n") where line.hasPrefix("- ") {
            let match = try #require(line.wholeMatch(of: /- [^`]+: ([a-z_, ()]+) on `(.+)`/), "\(line)")
            for object in String(match.2).components(separatedBy: "`, `") { listed.insert("\(object)|\(match.1)") }
        }
        // They only lock and read, so the page does not name them.
        for name in Self.readers { #expect(listed.insert("nudged.\(name)|execute").inserted, "\(name)") }
        let fixture = try await F()
        let found = Set(
            try fixture.lines("set jit = off; \(Self.rights)").filter {
                // One of each day.
                $0.firstMatch(of: /^nudged\.delivery_[0-9]{8}\|/) == nil
            }
        )
        #expect(listed.subtracting(found).sorted() == [], "the page says too much")
        #expect(found.subtracting(listed).sorted() == [], "the page says too little")
        #expect(listed.count > 30)
    }
}
