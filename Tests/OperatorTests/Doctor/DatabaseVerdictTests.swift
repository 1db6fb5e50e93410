import Systemd
import TestSupport
import Testing
import TimeZones

@testable import Core
@testable import Operator
@testable import Postgres

/// What doctor makes of each answer. `Transcripts` of IntegrationTests have the texts, from real databases.
@Suite struct DatabaseVerdictTests {
    private typealias Facts = DatabaseFacts
    private typealias Verdicts = DatabaseVerdicts

    private static let server = Facts.Server(
        versionNumber: 150_020,
        version: "15.20",
        isInRecovery: false,
        isWritable: true,
        clock: 1_000_000_000,
        role: "nudged_daemon",
        isSuperuser: false,
        bypassesRowSecurity: false,
        ownsTables: false,
        hasSchema: true,
        mayUseSchema: true,
        cleansUp: true,
        encoding: "UTF8",
        firesTriggers: true,
        creators: []
    )

    private static func server(_ change: (inout Facts.Server) -> Void) -> Facts.Server {
        var server = server
        change(&server)
        return server
    }

    private static func configuration(_ url: String) throws -> ConnectionConfiguration {
        try ConnectionConfiguration.parse(url: url, allowInsecure: true)
    }

    private static let url = "postgresql://nudged_daemon@db.example.com/app?sslmode=verify-full"

    // MARK: The connection

    @Test(arguments: [
        (PostgresError(.connectionFailed, detail: "no answer in time"), Systemd.ExitStatus.unavailable),
        (PostgresError(.connectionFailed, sqlState: "53300"), .unavailable),
        (PostgresError(.connectionFailed, sqlState: "28P01"), .permission),
        (PostgresError(.connectionFailed, sqlState: "3D000"), .configuration),
    ]) func connection_whenThereIsNone_isAnErrorWithItsRemedyApart(error: PostgresError, expected: Systemd.ExitStatus)
        throws
    {
        let answer = Known<Facts.Server>.failure(Unanswered(why: error.description, error: error))
        let found = Verdicts.connection(answer, try Self.configuration(Self.url), trip: 0)
        #expect(found.map(\.status) == [expected] && found[0].remedy != nil)
        #expect(error.remedy.map { !found[0].found.contains($0) } ?? true, "\(found)")
    }

    @Test(arguments: [
        ("postgresql://a@db.example.com/app?sslmode=verify-full", Finding.Level.ok),
        ("postgresql://a@db.example.com/app?sslmode=verify-ca", .warning),
        ("postgresql://a@10.0.0.7/app?sslmode=require", .warning),
        ("postgresql://a@db.example.com/app?sslmode=disable", .warning),
        ("postgresql://a@localhost/app?sslmode=disable", .ok),
        ("postgresql://a@127.0.0.1,db.example.com/app?sslmode=prefer", .warning), ("postgresql://a@%2Ftmp/app", .ok),
    ]) func tls_whenItIsWeakOverANetwork_isAWarning(url: String, expected: Finding.Level) throws {
        let found = Verdicts.encryption(try Self.configuration(url))
        #expect(found.level == expected, "\(found)")
        if expected == .warning { #expect(found.remedy?.contains("sslmode=verify-full") == true) }
    }

    @Test(arguments: [
        (Pooling.direct, Finding.Level.ok), (.transaction, .ok), (.session, .ok), (.statement, .warning),
        (.exhausted, .warning),
    ]) func pooler_byItsMode(pooling: Pooling, expected: Finding.Level) {
        #expect(Verdicts.pooler(pooling).level == expected)
    }

    @Test func server_byItsState() throws {
        let one = try Self.configuration(Self.url)
        let standby = Verdicts.writability(Self.server { $0.isInRecovery = true }, one)
        #expect(standby.status == .configuration && standby.remedy?.contains("target_session_attrs=read-write") == true)
        #expect(Verdicts.writability(Self.server { $0.isWritable = false }, one).level == .error)
        #expect(Verdicts.writability(Self.server, one).level == .ok)
        let hosts = "postgresql://a@a.example.com,b.example.com/app?sslmode=verify-full"
        #expect(Verdicts.writability(Self.server, try Self.configuration(hosts)).level == .warning)
        let primary = try Self.configuration(hosts + "&target_session_attrs=read-write")
        #expect(Verdicts.writability(Self.server, primary).level == .ok)
        for (encoding, level) in [("SQL_ASCII", Finding.Level.error), ("LATIN1", .warning), ("UTF8", .ok)] {
            #expect(Verdicts.encoding(encoding).level == level)
        }
        #expect(Verdicts.triggers(Self.server { $0.firesTriggers = false }).map(\.status) == [.configuration])
        #expect(Verdicts.triggers(Self.server).isEmpty)
        let old = Verdicts.connection(.success(Self.server { $0.versionNumber = 149_999 }), one, trip: 0)
        #expect(old.map(\.level) == [.warning])
    }

    // MARK: The schema

    @Test func functions_whenOthersMayCreateThem_areAWarning() {
        #expect(Verdicts.role(Self.server { $0.ownsTables = true }).level == .ok)
        let found = Verdicts.creators(Self.server { $0.creators = ["public", "", "public", "maker"] })
        #expect(found.level == .warning && found.found.contains("everybody in public, maker in public"))
        let revoke = "revoke create on schema public from"
        #expect(found.remedy == "\(revoke) public; \(revoke) maker")
    }

    @Test(arguments: [
        (Migrator.SchemaState.behind(Migration.all), Systemd.ExitStatus.configuration),
        (.behind([Migration.all[3]]), .configuration), (.behind([Migration.all[3]], isUsable: true), .success),
        (.ahead(newest: 99), .configuration), (.changed(number: 3), .configuration), (.hidden, .permission),
        (.newer(newest: 99), .success), (.current, .success), (.misbound([]), .success),
    ]) func migrations_byTheSchemasState(state: Migrator.SchemaState, expected: Systemd.ExitStatus) {
        #expect(Verdicts.migrations(state).status == expected)
    }

    /// nudged_daemon gets its rights from a function. Another role is not nudged's to give rights to.
    @Test func rights_whenSomeLackOrAreGone_areNamedWithTheRemedy() {
        var rights = DaemonRight.all.map { (right: $0, exists: true, isGranted: true) }
        for index in rights.indices where rights[index].right.object == "maintain_delivery" {
            rights[index].isGranted = false
        }
        let other = Verdicts.rights(rights, of: "app_backend")
        #expect(other[0].remedy == "grant execute on function nudged.maintain_delivery to app_backend")
        for index in rights.indices { rights[index].exists = rights[index].right.object != "maintain_delivery" }
        let gone = Verdicts.rights(rights, of: "nudged_daemon")
        #expect(gone.map(\.found) == ["missing: nudged.maintain_delivery"] && gone[0].status == .configuration)
    }

    private static let written = Facts.Written(
        name: "public.push_tokens",
        hasWriter: true,
        owned: 4,
        foreign: [],
        owners: [],
        lacking: [],
        isHidden: false
    )

    private static func writer(_ change: (inout Facts.Written) -> Void) -> [Finding] {
        var written = written
        change(&written)
        return Verdicts.writer([written])
    }

    @Test func writer_byWhatItOwnsAndLacks() {
        #expect(Self.writer { _ in }.map(\.level) == [.ok] && Verdicts.writer([]).map(\.level) == [.ok])
        let none = Self.writer {
            ($0.hasWriter, $0.owned, $0.foreign, $0.owners) = (false, 0, ["write_device"], ["boss"])
        }
        let make = "create role nudged_writer nologin; grant nudged_writer to boss; then, "
        #expect(none.map(\.level) == [.warning] && none[0].remedy?.hasPrefix(make) == true)
        let hidden = Self.writer { ($0.lacking, $0.isHidden) = (["insert", "update"], true) }
        #expect(hidden.map(\.status) == [.permission, .permission])
        #expect(hidden[0].remedy?.contains("grant insert, update on public.push_tokens to nudged_writer;") == true)
        // Then the functions have another owner's rights: they work.
        let foreign = Self.writer { ($0.owned, $0.foreign, $0.owners, $0.lacking) = (0, ["x"], ["boss"], ["insert"]) }
        #expect(foreign.map(\.level) == [.warning, .warning])
    }

    // MARK: Views and tables

    private static let columns: [Verdicts.Column] = Facts.View.allCases.flatMap { view in
        (view.columns + (view == .recipient ? [WantedColumn("context")] : [])).map {
            (view.rawValue, $0.name, $0.types.first ?? "text")
        }
    }

    /// `Tests/Reference/view-columns.txt` says what is wrong with a view.
    @Test func view_whenAColumnIsMissingOrOfAnotherType_isAnError() throws {
        let lines = try Checkout.reference("view-columns")
        #expect(lines.count == 9)
        for line in lines {
            let parts = line.split(separator: " | ").map(String.init)
            let view = try #require(Facts.View.allCases.first { "\($0)" == parts[0] })
            let columns = Self.columns.compactMap { found -> Verdicts.Column? in
                guard found.view == view.rawValue, found.name == parts[1] else { return found }
                return parts[2] == "none" ? nil : (view.rawValue, parts[1], parts[2])
            }
            let found = Verdicts.view(view, columns, .success(()))
            #expect(found.level == (parts[3] == "ok" ? .ok : .error), "\(line): \(found)")
            if parts[3] == "ok" { continue }
            #expect(found.found.contains(parts[3]), "\(line): \(found)")
            #expect(found.remedy?.contains("user_id uuid") == true, "\(line): \(found)")
        }
    }

    @Test func view_whenItCantBeRead_saysWhy() {
        func found(_ state: String) -> Finding {
            let error = PostgresError(.refusedByServer, sqlState: state, detail: "permission denied for push_tokens")
            return Verdicts.view(.device, Self.columns, .failure(Unanswered(why: "why", error: error)))
        }
        #expect(found("42501").status == .permission && found("42501").found.contains("push_tokens"))
        #expect(found("42883").status == .configuration)
        // Somebody holds it for now: nothing is known.
        #expect(found("57014").level == .unchecked)
        #expect(Verdicts.view(.device, [], .success(())).level == .error)
    }

    @Test func tables_whenTheyLackSomething_areNamedWithTheRemedy() {
        var table = Verdicts.TableState(
            hasRowSecurity: true,
            hasUserIndex: false,
            readers: ["authenticated"],
            isRead: true
        )
        let index = Verdicts.appTables([("push_tokens", table)])
        #expect(index.map(\.remedy) == ["create index concurrently on public.push_tokens (user_id)"])
        (table.hasUserIndex, table.hasRowSecurity) = (true, false)
        #expect(Verdicts.appTables([("push_tokens", table)])[0].found.contains("authenticated may read it"))
        table.readers = []
        #expect(Verdicts.appTables([("push_tokens", table)]).map(\.level) == [.ok])
        #expect(Verdicts.rowSecurity(["person", "touched"]).found.contains("nudged.person, nudged.touched"))
    }

    // MARK: Health

    @Test func tables_whenTheyEndSoonOrAreMostlyDead_areAWarning() {
        #expect([8, 3, 2, 1, 0].map { Verdicts.partitions($0).level } == [.ok, .ok, .warning, .warning, .warning])
        let unseen = Verdicts.unseen(1, isAll: false).found
        #expect(unseen == "1 user of the first 5,000 in the app's tables is not seen yet by nudged")
        let rows: [(Int64, Int64)] = [(1000, 19_999), (1000, 20_000), (100_000, 90_000), (100_000, 100_001)]
        let levels = rows.map { live, dead in
            let table = Verdicts.Bloat(table: "person", live: live, dead: dead, isNeverCleaned: true)
            return Verdicts.bloat([table]).map(\.level)
        }
        #expect(levels == [[.ok], [.warning], [.ok], [.warning]])
        #expect(Verdicts.cleaning(Self.server { $0.cleansUp = false }, []).level == .warning)
    }

    private static func holders(
        process: Int32? = nil,
        seconds: Int64? = nil,
        age: Int64? = nil,
        prepared: Int64 = 0,
        preparedSeconds: Int64? = nil,
        idleSlots: [String] = []
    ) -> [Finding] {
        Verdicts.holders(
            Verdicts.Holders(
                processID: process,
                role: process.map { _ in "app" },
                seconds: seconds,
                age: age,
                prepared: prepared,
                preparedSeconds: preparedSeconds,
                idleSlots: idleSlots
            )
        )
    }

    @Test(
        arguments: [
            (300, 5, Finding.Level.ok), (301, 5, .warning), (10, 900_000, .ok), (nil, 200_000, .ok),
            (nil, 200_001, .warning),
        ] as [(Int64?, Int64, Finding.Level)]
    ) func holders_whenATransactionIsLong_areAWarning(seconds: Int64?, age: Int64, expected: Finding.Level) {
        let found = Self.holders(process: 4711, seconds: seconds, age: age)
        #expect(found.map(\.level) == [expected])
        if expected == .warning { #expect(found[0].remedy?.contains("pg_terminate_backend(4711)") == true) }
    }

    @Test func holders_areEachALineOfTheirOwn() {
        let found = Self.holders(prepared: 2, preparedSeconds: 7300, idleSlots: ["old", "older"])
        #expect(found.map(\.level) == [.warning, .warning, .warning])
        #expect(found[0].found.contains("2 prepared transactions wait"))
        #expect(found[1].remedy?.contains("pg_drop_replication_slot('old')") == true)
        #expect(Self.holders(prepared: 2, preparedSeconds: 10).map(\.level) == [.ok])
    }

    private static func work(due: Int = 0, late: Int64 = 0, touches: Int = 0, alive: Bool = true) -> Finding {
        let now = Instant(seconds: 1_000_000)
        let row = DaemonRow(now: now, unseen: alive ? 0 : 100_000)
        return Verdicts.work(WorkStatus(now: now, due: due, firstDue: now - late, touches: touches, daemons: [row]))
    }

    /// Nobody expects it to be done where none is alive: the service's part says so.
    @Test func work_whenItWaitsBesideALivingDaemon_isAWarning() {
        #expect(Self.work(due: 12, late: 300).level == .ok)
        #expect(Self.work(due: 12, late: 301).level == .warning)
        #expect(Self.work(touches: WorkStatus.most).level == .warning)
        #expect(Self.work(due: 12, late: 9_000, alive: false).level == .ok)
    }
}
