import Postgres
import Testing
import TimeZones

@testable import Core

/// Roles that may create in schema public put functions and operators there which PostgreSQL prefers to its own.
@Suite struct SearchPathTests {
    /// Each function and operator of PostgreSQL, again in schema public, which is searched first. A call of one fails
    /// with HJ001. Beside them: a better match for calls that PostgreSQL resolves by a polymorphic argument.
    private static let shadows = """
        create function public.pg_column_size(text) returns integer language plpgsql as $$ begin raise sqlstate 'HJ001'; end $$;
        create function public.unnest(uuid[]) returns setof uuid language plpgsql as $$ begin raise sqlstate 'HJ001'; end $$;
        create function public.format(text, text) returns text language plpgsql as $$ begin raise sqlstate 'HJ001'; end $$;
        do $do$
        declare one record;
        begin
            for one in
                select p.oid, p.proname, pg_get_function_identity_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result
                from pg_catalog.pg_proc p
                where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f'
            loop
                begin
                    execute pg_catalog.format('create function public.%I(%s) returns %s language plpgsql as %L',
                        one.proname, one.arguments, coalesce(one.result, 'void'), $$begin raise sqlstate 'HJ001'; end$$);
                exception when others then null;
                end;
            end loop;
            for one in
                select o.oprname, format_type(o.oprleft, null) as l, format_type(o.oprright, null) as r, p.oid as code
                from pg_catalog.pg_operator o
                join pg_catalog.pg_proc c on c.oid = o.oprcode
                join pg_catalog.pg_proc p on p.proname = c.proname and p.proargtypes = c.proargtypes and p.pronamespace = 'public'::regnamespace
                where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprkind = 'b'
            loop
                execute pg_catalog.format('create operator public.%s (leftarg = %s, rightarg = %s, function = %s)',
                    one.oprname, one.l, one.r, one.code::pg_catalog.regproc);
            end loop;
        end
        $do$
        """

    /// A database where public comes first, and shadows what PostgreSQL has.
    private static func shadowed() throws -> F {
        let fixture = try F(on: F.cluster.get())
        try fixture.sql(shadows)
        let counts = try fixture.sql(
            """
            select count(*) from pg_proc where pronamespace = 'public'::regnamespace
            union all select count(*) from pg_operator where oprnamespace = 'public'::regnamespace
            """
        ).split(separator: "\n").compactMap { Int($0) }
        #expect(counts.count == 2 && counts[0] > 2_000 && counts[1] > 500, "\(counts)")
        try fixture.sql("alter database \(fixture.name) set search_path = public, pg_catalog")
        return fixture
    }

    @Test func statements_whenPublicShadowsPostgreSQL_callNothingOfIt() async throws {
        let fixture = try Self.shadowed()
        let migrator = Migrator(configuration: fixture.configuration)
        _ = try await migrator.migrate()
        try await migrator.activateTemplates()
        await migrator.close()

        let connection = try await Connection.open(fixture.configuration)
        func run(_ name: String, _ sql: String) async throws -> Rows {
            try await connection.run(Statement(name, sql: sql))
        }
        // A statement as a function: PostgreSQL notes what it calls, except for its own functions.
        for (number, query) in Query.allCases.enumerated() {
            _ = try await run(query.name, "prepare q\(number) as \(query.sql)")
            let types = try await run(
                "types",
                """
                select pg_catalog.array_to_string(parameter_types, ', ') from pg_catalog.pg_prepared_statements
                where name = 'q\(number)'
                """
            ).text(0, 0)
            _ = try await run(
                query.name,
                """
                create function public.statement_\(number)(\(types)) returns void language sql
                begin atomic
                \(query.sql);
                end
                """
            )
        }
        let called = try await run(
            "called",
            """
            select distinct f.proname || ': ' || pg_describe_object(d.refclassid, d.refobjid, 0)
            from pg_depend d join pg_proc f on f.oid = d.objid
            where d.classid = 'pg_proc'::regclass
              and (d.refclassid = 'pg_proc'::regclass and d.refobjid in (select oid from pg_proc where pronamespace = 'public'::regnamespace)
                or d.refclassid = 'pg_operator'::regclass)
            union all
            select 'nudged: ' || pg_describe_object(d.classid, d.objid, 0)
            from pg_depend d
            where d.classid in ('pg_rewrite'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_class'::regclass)
              and (d.refclassid = 'pg_operator'::regclass
                or d.refclassid = 'pg_proc'::regclass and d.refobjid in (select oid from pg_proc where pronamespace = 'public'::regnamespace))
            """
        )
        for row in 0..<called.count { Issue.record("\(try called.text(row, 0))") }
    }

    /// The whole way of a user: registered, due, sent to, settled, and asked about.
    @Test func user_whenPublicShadowsPostgreSQL_isServed() async throws {
        let fixture = try Self.shadowed()
        try await fixture.migrate()
        var app = fixture.configuration
        app.searchPath = "pg_catalog"
        let owner = try await Connection.open(app)
        try await owner.execute(
            script: """
                insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
                values (\(F.quoted(1)), '{"check_ins_enabled": true, "frequency": "daily"}', true, 'Europe/Berlin');
                insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), repeat('a', 64));
                """
        )
        await owner.close()
        // As the app calls, with the search path of its database.
        let id = try fixture.sql("select (nudged_api.send(\(F.quoted(1)), 'A title', 'A text')).id")
        let member = try await fixture.member()
        let drained = try await fixture.store.drain(member: member, ranges: F.ranges, limit: 10, now: F.now)
        #expect(drained > 0)
        let later = F.now + 31_622_400
        let claimed = try await fixture.store.claim(ranges: F.ranges, now: later, limit: 10, member: member).users
        #expect(claimed.map(\.messages.count) == [1] && claimed.map(\.devices.count) == [1])
        #expect(try fixture.sql("select done from nudged_api.cancel(\(F.quoted(1)), '\(id)')") == "1")
    }

    /// The script of `nudged migrate --sql`, in a session that searches public first.
    @Test func script_whenPublicShadowsPostgreSQL_callsNothingOfIt() async throws {
        let fixture = try Self.shadowed()
        try fixture.sql("begin;\n\(Migration.script())\ncommit")
        #expect(try fixture.sql("select pg_catalog.count(*) from nudged.migration") == "\(Migration.all.count)")
    }

    /// Schema public as PostgreSQL 14 and older made it, and a role with the same right.
    @Test func creators_whenPublicIsThatOfPostgreSQL14_areNamed() async throws {
        let fixture = try await F()
        let connection = try await Connection.open(fixture.configuration)
        #expect(try await DatabaseFacts.Server.read(connection).creators == [])
        let role = "maker_\(fixture.name)"
        try fixture.sql(
            """
            create role \(role); create role super_\(role) superuser;
            alter schema public owner to postgres; grant create on schema public to public, \(role), super_\(role)
            """
        )
        #expect(try await DatabaseFacts.Server.read(connection).creators == ["public", "", "public", role])
        await connection.close()
        try fixture.sql("drop owned by \(role), super_\(role); drop role \(role), super_\(role)")
    }
}
