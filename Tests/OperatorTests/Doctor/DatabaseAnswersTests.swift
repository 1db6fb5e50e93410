import Systemd
import Testing
import TimeZones

@testable import Operator
@testable import Postgres
@testable import Core

@Suite struct DatabaseAnswersTests {
    private typealias Facts = DatabaseFacts
    private typealias Fixture = DatabaseAnswersFixture

    @Test func findings_whenAllIsWell_areOK() throws {
        #expect(try Fixture.odd { _ in } == [])
        let ids = try Fixture.answers().findings.map(\.check)
        #expect(
            ids == [
                "connection", "tls", "pooler", "writable", "clock", "encoding", "migrations", "role", "schemas",
                "rights",
                "excess_rights", "writer", "bindings", "recipient", "device", "subject_member",
                "row_security", "app_tables", "partitions", "autovacuum", "bloat", "holders", "users",
                "work",
            ]
        )
    }

    // MARK: The connection

    @Test(arguments: [
        (PostgresError(.connectionFailed, detail: "no answer in time"), Systemd.ExitStatus.unavailable),
        (PostgresError(.connectionFailed, sqlState: "53300"), .unavailable),
        (PostgresError(.connectionFailed, sqlState: "28P01"), .permission),
        (PostgresError(.connectionFailed, sqlState: "3D000"), .configuration),
    ])
    func connection_whenThereIsNone_isOneErrorAndOneLineForTheRest(error: PostgresError, expected: Systemd.ExitStatus)
        throws
    {
        let findings = try Fixture.answers { $0.server = .failed(error) }.findings
        #expect(findings.map(\.check) == ["connection", "tls", "rest"])
        #expect(findings[0].status == expected && findings[0].remedy != nil && findings[2].level == .unchecked)
        // The remedy has its own field.
        #expect(error.remedy.map { !findings[0].found.contains($0) } ?? true, "\(findings[0])")
    }

    @Test(arguments: [
        ("postgresql://a@db.example.com/app?sslmode=verify-full", Finding.Level.ok),
        ("postgresql://a@db.example.com/app?sslmode=verify-ca", .warning),
        ("postgresql://a@10.0.0.7/app?sslmode=require", .warning),
        ("postgresql://a@db.example.com/app?sslmode=disable", .warning),
        ("postgresql://a@localhost/app?sslmode=disable", .ok),
        ("postgresql://a@127.0.0.1,db.example.com/app?sslmode=prefer", .warning), ("postgresql://a@%2Ftmp/app", .ok),
    ])
    func tls_whenItIsWeakOverANetwork_isAWarning(url: String, expected: Finding.Level) throws {
        let finding = Fixture.finding("tls", try Fixture.answers(url))
        #expect(finding?.level == expected, "\(String(describing: finding))")
        if expected == .warning { #expect(finding?.remedy?.contains("sslmode=verify-full") == true) }
    }

    @Test(arguments: [
        (Pooling.direct, Finding.Level.ok), (.transaction, .ok), (.session, .ok), (.statement, .warning),
        (.exhausted, .warning),
    ])
    func pooler_byItsMode(pooling: Pooling, expected: Finding.Level) throws {
        #expect(Fixture.finding("pooler", try Fixture.answers { $0.pooling = .value(pooling) })?.level == expected)
    }

    @Test func server_whenItTakesNoWritesOrIsOld_isSaid() throws {
        func change(_ change: (inout Facts.Server) -> Void) throws -> [Finding] {
            var server = Fixture.server
            change(&server)
            return try Fixture.odd { $0.server = .value(server) }
        }
        let standby = try change { $0.isInRecovery = true }
        #expect(standby.map(\.check) == ["writable"] && standby[0].status == .configuration)
        #expect(standby[0].remedy?.contains("target_session_attrs=read-write") == true)
        #expect(try change { $0.isWritable = false }.map(\.level) == [.error])
        for (encoding, level) in [("SQL_ASCII", Finding.Level.error), ("LATIN1", .warning)] {
            let found = try change { $0.encoding = encoding }
            #expect(found.map(\.check) == ["encoding"] && found[0].level == level)
            #expect(found[0].remedy?.contains("encoding 'UTF8' template template0") == true)
        }
        let silent = try change { $0.firesTriggers = false }
        #expect(silent.map(\.check) == ["replication_role"] && silent[0].status == .configuration)
        #expect(try change { $0.versionNumber = 149_999 }.map(\.check) == ["connection"])
        #expect(try change { $0.clock += 10_000_000 }.map(\.check) == ["clock"])
        #expect(try change { $0.cleansUp = false }.map(\.check) == ["autovacuum"])
    }

    @Test func hosts_whenAnyOfThemWillDo_areAWarning() throws {
        let hosts = "postgresql://a@a.example.com,b.example.com/app?sslmode=verify-full"
        #expect(Fixture.finding("writable", try Fixture.answers(hosts))?.level == .warning)
        #expect(
            Fixture.finding("writable", try Fixture.answers(hosts + "&target_session_attrs=read-write"))?.level == .ok
        )
    }

    // MARK: The schema

    @Test func role_whenItCanDoMoreThanItsWork_isAWarning() throws {
        for change in [{ $0.isSuperuser = true }, { $0.bypassesRowSecurity = true }] as [(inout Facts.Server) -> Void] {
            var server = Fixture.server
            change(&server)
            let odd = try Fixture.odd { $0.server = .value(server) }
            #expect(
                odd.map(\.check) == ["role"] && odd[0].level == .warning
                    && odd[0].remedy?.contains("nudged_daemon") == true
            )
        }
    }

    @Test(arguments: [
        (Migrator.SchemaState.behind(Migration.all), Systemd.ExitStatus.configuration),
        (.behind([Migration.all[3]]), .configuration),
        (.ahead(newest: 99), .configuration), (.changed(number: 3), .configuration), (.hidden, .permission),
        (.newer(newest: 99), .success),
    ])
    func migrations_byTheSchemasState(schemaState: Migrator.SchemaState, expected: Systemd.ExitStatus) throws {
        let finding = try #require(
            Fixture.finding("migrations", try Fixture.answers { $0.schemaState = .value(schemaState) })
        )
        #expect(finding.status == expected, "\(finding)")
    }

    @Test func rights_whenSomeLack_areNamedWithTheRemedy() throws {
        var rights = DaemonRight.all.map { Facts.Right(right: $0, exists: true, isGranted: true) }
        for index in rights.indices {
            let right = rights[index].right
            if right.object == "intent", right.privilege != "select" { rights[index].isGranted = false }
            if right.object == "maintain_delivery" { rights[index].isGranted = false }
        }
        let odd = try Fixture.odd { $0.rights = .value(rights) }
        #expect(odd.count == 1 && odd[0].status == .permission)
        #expect(
            odd[0].found
                == "nudged_daemon lacks insert, update, delete on nudged.intent; execute on nudged.maintain_delivery"
        )
        #expect(odd[0].remedy?.contains("nudged.grant_roles()") == true)
        // Another role is not nudged's to give rights to.
        var server = Fixture.server
        server.role = "app_backend"
        let other = try Fixture.odd {
            $0.rights = .value(rights)
            $0.server = .value(server)
        }
        #expect(other.first?.remedy?.contains("grant insert on nudged.intent to app_backend") == true, "\(other)")
        #expect(
            other.first?.remedy?.contains("grant execute on function nudged.maintain_delivery to app_backend") == true
        )
    }

    // MARK: Rights that are too many

    private static func excess(_ role: String, _ object: String, _ privileges: [String] = ["execute"]) -> ExcessRight {
        ExcessRight(
            role: role,
            object: object,
            privileges: privileges,
            statement: "revoke \(privileges.joined(separator: ", ")) on \(object) from \(role)"
        )
    }

    @Test func excess_whenRolesHaveIt_isOneFindingForEach() throws {
        let rights = [
            Self.excess("service_role", "nudged.hold(name text)"),
            Self.excess("nudged_app", "nudged.person", ["select"]),
            Self.excess("anon", "nudged.person", ["delete", "select"]),
            Self.excess("public", "nudged", ["usage"]),
            Self.excess("anon", "nudged.device", ["delete", "select"]),
        ]
        let odd = try Fixture.odd { $0.excessRights = .value(rights) }
        #expect(odd.allSatisfy { $0.check == "excess_rights" && $0.remedy?.contains("nudged.grant_roles()") == true })
        #expect(
            odd.map(\.found) == [
                "every role (PUBLIC) has 1 right too many: usage on schema nudged",
                "anon has 4 rights too many: delete, select on nudged.person, nudged.device",
                "service_role has 1 right too many: execute on nudged.hold",
                "nudged_app has 1 right too many: select on nudged.person",
            ]
        )
        #expect(odd.map(\.level) == [.error, .error, .warning, .warning])
        #expect(odd.prefix(2).allSatisfy { $0.status == .permission })
        // For a program: the statements.
        #expect(odd[1].details == [rights[2].statement, rights[4].statement])
    }

    @Test(arguments: ["public", "anon", "authenticated"]) func excess_whenAnybodyHasIt_isAnError(role: String) throws {
        let odd = try Fixture.odd { $0.excessRights = .value([Self.excess(role, "nudged_api.send(user_id uuid)")]) }
        #expect(odd.map(\.level) == [.error])
    }

    @Test func excess_whenTheRoleMayNotReadIt_isNotChecked() throws {
        let odd = try Fixture.odd { $0.excessRights = .failed(PostgresError(.refusedByServer, sqlState: "42501")) }
        #expect(odd.map(\.level) == [.unchecked] && odd[0].check == "excess_rights")
    }

    // MARK: What writes the app's tables

    private func writer(_ change: (inout Facts.Written) -> Void) throws -> [Finding] {
        var written = Fixture.written
        change(&written)
        return try Fixture.odd { $0.written = .value([written]) }
    }

    @Test func writer_whenAnotherRoleOwnsAFunction_isAWarning() throws {
        let odd = try writer {
            $0.owned = 2
            $0.foreign = ["drop_devices", "write_device"]
            $0.owners = ["app_owner"]
        }
        #expect(
            odd.map(\.found) == [
                "nudged.drop_devices, nudged.write_device run with the rights of app_owner, "
                    + "and so do the triggers of public.push_tokens"
            ]
        )
        #expect(odd[0].level == .warning && odd[0].remedy?.contains("select nudged.grant_roles()") == true)
    }

    @Test func writer_whenTheRoleIsMissing_saysHowToMakeIt() throws {
        let odd = try writer {
            $0.hasWriter = false
            $0.owned = 0
            $0.foreign = ["write_device"]
            $0.owners = ["app_owner"]
        }
        #expect(odd.map(\.level) == [.warning])
        #expect(odd[0].found.hasPrefix("the role nudged_writer is missing: nudged.write_device run"))
        let make = "create role nudged_writer nologin; grant nudged_writer to app_owner; then, "
        #expect(odd[0].remedy?.hasPrefix(make) == true)
    }

    @Test func writer_whenItMayNotWriteTheTable_isAnErrorWithTheStatement() throws {
        let odd = try writer {
            $0.lacking = ["insert", "update"]
            $0.isHidden = true
        }
        #expect(odd.map(\.level) == [.error, .error] && odd.allSatisfy { $0.status == .permission })
        #expect(odd[0].found.hasPrefix("nudged_writer lacks insert, update on public.push_tokens: "))
        #expect(odd[0].remedy?.contains("grant insert, update on public.push_tokens to nudged_writer;") == true)
        #expect(
            odd[1].remedy?.hasSuffix(
                "create policy nudged_writer on public.push_tokens to nudged_writer using (true) with check (true)"
            ) == true
        )
    }

    /// Then the functions have another owner's rights: they work.
    @Test func writer_whenItOwnsNoFunction_isAWarningOnly() throws {
        let odd = try writer {
            $0.owned = 0
            $0.foreign = ["write_device"]
            $0.owners = ["app_owner"]
            $0.lacking = ["insert"]
        }
        #expect(odd.map(\.level) == [.warning, .warning])
    }

    @Test func schemas_whenOthersCanCreateThere_areAWarningWithTheStatements() throws {
        var server = Fixture.server
        server.creators = [Facts.Creator(schema: "public", role: nil), Facts.Creator(schema: "public", role: "maker")]
        let odd = try Fixture.odd { $0.server = .value(server) }
        #expect(odd.map(\.check) == ["schemas"] && odd[0].level == .warning)
        #expect(odd[0].found.contains("everybody in public, maker in public"))
        #expect(
            odd[0].remedy
                == "revoke create on schema public from public; revoke create on schema public from maker"
        )
    }

    @Test func writer_whenNothingIsWritten_isOK() throws {
        #expect(try Fixture.odd { $0.written = .value([]) } == [])
    }

    @Test func objects_whenTheyAreGone_areNamed() throws {
        let rights = DaemonRight.all.map {
            Facts.Right(right: $0, exists: $0.object != "forget_devices", isGranted: $0.object != "forget_devices")
        }
        let odd = try Fixture.odd { $0.rights = .value(rights) }
        #expect(odd.map(\.found) == ["missing: nudged.forget_devices"] && odd[0].status == .configuration)
    }

    @Test func schema_whenItIsNotThereOrShut_leavesOneLineForTheRest() throws {
        var server = Fixture.server
        server.mayUseSchema = false
        let shut = try Fixture.answers { $0.server = .value(server) }.findings
        #expect(shut.first { $0.check == "rights" }?.status == .permission)
        #expect(shut.filter { $0.level == .unchecked }.map(\.check) == ["rest"])
        server.hasSchema = false
        let none = try Fixture.answers {
            $0.server = .value(server)
            $0.schemaState = .value(.behind(Migration.all))
        }.findings
        #expect(none.first { $0.check == "migrations" }?.remedy?.contains("nudged migrate") == true)
        #expect(none.filter { $0.level == .unchecked }.map(\.check) == ["rest"])
    }

    @Test func bindings_whenAViewReadsAnotherTable_areAnErrorWithTheRemedy() throws {
        var fault = BindingFault(object: "nudged.device", fault: "reads public.x_old", isFixable: true, stops: true)
        let odd = try Fixture.odd {
            $0.bindingFaults = .value([fault])
            $0.schemaState = .value(.misbound([fault]))
        }
        #expect(odd.map(\.check) == ["bindings"] && odd[0].level == .error)
        #expect(odd[0].found == "nudged.device reads public.x_old")
        #expect(odd[0].remedy?.contains("nudged migrate") == true)
        fault.isFixable = false
        #expect(try Fixture.odd { $0.bindingFaults = .value([fault]) }[0].remedy?.contains("create or replace") == true)
    }

    @Test(
        arguments: [
            ("recipient", "timezone", nil, "has no column timezone"),
            ("device", "registered_at", nil, "has no column registered_at"),
            ("device", "user_id", "text", "has a column user_id of type text, not uuid"),
            ("subject_member", "subject_id", "bigint", "has a column subject_id of type bigint, not text"),
            ("recipient", "first_session_complete", "jsonb", ", not boolean"),
            ("device", "registered_at", "timestamp without time zone", ""), ("recipient", "context", nil, ""),
            ("recipient", "preferences", "json", ""), ("device", "token", "character varying", ""),
        ] as [(String, String, String?, String)]
    )
    func view_whenAColumnIsMissingOrOfAnotherType_isAnError(view: String, column: String, type: String?, said: String)
        throws
    {
        let columns = Fixture.columns.compactMap { found -> Facts.Column? in
            guard found.view == view, found.name == column else { return found }
            return type.map { Facts.Column(view: view, name: column, type: $0) }
        }
        let odd = try Fixture.odd { $0.columns = .value(columns) }
        guard !said.isEmpty else { return #expect(odd == []) }
        #expect(odd.map(\.check) == [view] && odd[0].found.contains(said) && odd[0].status == .configuration, "\(odd)")
        #expect(odd.first?.remedy?.contains("user_id uuid") == true)
    }

    @Test func view_whenItCantBeRead_saysWhy() throws {
        func odd(_ error: PostgresError) throws -> [Finding] { try Fixture.odd { $0.views = .value([.device: error]) } }
        let right = try odd(
            PostgresError(.refusedByServer, sqlState: "42501", detail: "permission denied for table push_tokens")
        )
        #expect(
            right.map(\.check) == ["device"] && right[0].status == .permission && right[0].found.contains("push_tokens")
        )
        #expect(try odd(PostgresError(.refusedByServer, sqlState: "42883"))[0].status == .configuration)
        // Somebody holds it for now: nothing is known.
        #expect(try odd(PostgresError(.refusedByServer, sqlState: "57014"))[0].level == .unchecked)
        #expect(try Fixture.odd { $0.columns = .value([]) }.map(\.check) == ["recipient", "device", "subject_member"])
    }

    @Test func tables_whenTheyLackSomething_areNamedWithTheRemedy() throws {
        var table = Fixture.table("push_tokens")
        table.hasUserIndex = false
        #expect(
            try Fixture.odd { $0.appTables = .value([table]) }.first?.remedy
                == "create index concurrently on public.push_tokens (user_id)"
        )
        table.hasUserIndex = true
        table.hasRowSecurity = false
        let open = try Fixture.odd { $0.appTables = .value([table]) }
        #expect(open.count == 1 && open[0].found.contains("authenticated may read it"))
        table.readers = []
        #expect(try Fixture.odd { $0.appTables = .value([table]) } == [])
        let own = try Fixture.odd { $0.openTables = .value(["person", "touched"]) }
        #expect(own.map(\.check) == ["row_security"] && own[0].found.contains("nudged.person, nudged.touched"))
    }

    // MARK: Health

    @Test(arguments: [(8, Finding.Level.ok), (3, .ok), (2, .warning), (1, .warning), (0, .warning)])
    func partitions_whenTheyEndSoon_areAWarning(days: Int, expected: Finding.Level) throws {
        #expect(
            Fixture.finding("partitions", try Fixture.answers { $0.partitionDays = .value(days) })?.level == expected
        )
    }

    @Test func users_whenNudgedHasNotSeenSome_areCountedWithTheRemedy() throws {
        let odd = try Fixture.odd { $0.unseen = .value(.init(users: 1, isAll: false)) }
        #expect(odd.map(\.check) == ["users"] && odd[0].level == .warning)
        #expect(odd[0].found == "1 user of the first 5,000 in the app's tables is not seen yet by nudged")
    }

    @Test(
        arguments: [
            (1000, 19_999, Finding.Level.ok), (1000, 20_000, .warning), (100_000, 90_000, .ok),
            (100_000, 100_001, .warning),
        ] as [(Int64, Int64, Finding.Level)]
    )
    func bloat_whenMostRowsAreDead_isAWarning(live: Int64, dead: Int64, expected: Finding.Level) throws {
        let table = Facts.Bloat(table: "person", live: live, dead: dead, isNeverCleaned: false)
        #expect(Fixture.finding("bloat", try Fixture.answers { $0.bloat = .value([table]) })?.level == expected)
    }

    @Test func cleaning_whenItIsOffForATable_isAWarning() throws {
        let table = Facts.Bloat(table: "person", live: 1, dead: 1, isNeverCleaned: true)
        let odd = try Fixture.odd { $0.bloat = .value([table]) }
        #expect(
            odd.map(\.check) == ["autovacuum"]
                && odd[0].remedy == "alter table nudged.person reset (autovacuum_enabled)"
        )
    }

    @Test(
        arguments: [
            (300, 5, Finding.Level.ok), (301, 5, .warning), (10, 900_000, .ok), (nil, 200_000, .ok),
            (nil, 200_001, .warning),
        ] as [(Int64?, Int64, Finding.Level)]
    )
    func holders_whenATransactionIsLong_areAWarning(seconds: Int64?, age: Int64, expected: Finding.Level) throws {
        let session = Facts.Holders.Session(processID: 4711, role: "app", seconds: seconds, age: age)
        let finding = Fixture.finding(
            "holders",
            try Fixture.answers { $0.holders = .value(Facts.Holders(session: session, prepared: 0, idleSlots: [])) }
        )
        #expect(finding?.level == expected)
        if expected == .warning { #expect(finding?.remedy?.contains("pg_terminate_backend(4711)") == true) }
    }

    @Test func holders_areEachALineOfTheirOwn() throws {
        let holders = Facts.Holders(prepared: 2, preparedSeconds: 7300, idleSlots: ["old", "older"])
        let odd = try Fixture.odd { $0.holders = .value(holders) }
        #expect(odd.count == 3 && odd.allSatisfy { $0.check == "holders" && $0.level == .warning })
        #expect(
            odd[0].found.contains("2 prepared transactions")
                && odd[1].remedy?.contains("pg_drop_replication_slot('old')") == true
        )
        #expect(
            try Fixture.odd { $0.holders = .value(Facts.Holders(prepared: 2, preparedSeconds: 10, idleSlots: [])) }
                == []
        )
    }

    @Test func work_whenItWaitsBesideALivingDaemon_isAWarning() throws {
        #expect(try Fixture.odd { $0.work = .value(Fixture.work(due: 12, late: 300)) } == [])
        #expect(try Fixture.odd { $0.work = .value(Fixture.work(due: 12, late: 301)) }.map(\.check) == ["work"])
        #expect(try Fixture.odd { $0.work = .value(Fixture.work(touches: WorkStatus.most)) }.map(\.check) == ["work"])
        // Where somebody holds it, that is said, and no more once it was resumed.
        let at = Instant(seconds: 1_000_000)
        let held = [nil, at].map {
            Pause(kind: .message, since: at, heldSince: at, byWhom: "ann@host", reason: nil, resumedAt: $0)
        }
        let paused = try Fixture.odd { $0.work = .value(Fixture.work(pauses: held)) }
        #expect(paused.map(\.check) == ["work"] && paused[0].found.hasSuffix("nothing of it is sent: message"))
        #expect(try Fixture.odd { $0.work = .value(Fixture.work(pauses: [held[1]])) } == [])
        // Nobody expects it to be done where none is alive: the service's part says so.
        #expect(try Fixture.odd { $0.work = .value(Fixture.work(due: 12, late: 9_000, alive: false)) } == [])
    }

    /// One question that fails hides no other's answer.
    @Test func findings_whenOneQuestionFails_areTheOthers() throws {
        let late = PostgresError(.timedOut, statement: "doctor_bloat")
        let odd = try Fixture.odd { $0.bloat = .failed(late) }
        #expect(odd.map(\.check) == ["bloat"] && odd[0].level == .unchecked && odd[0].found.contains("doctor_bloat"))
        #expect(try Fixture.answers { $0.bloat = .failed(late) }.findings.count == 24)
    }
}
