import Base
import Configuration
import Core
import Policy
import Postgres

/// Asks one question after the other, and makes findings of the answers. If one fails or hangs, the others go on.
actor DatabaseExamination {
    private typealias Verdicts = DatabaseVerdicts

    private let configuration: ConnectionConfiguration
    private let rules: Rules
    private let zones: ZoneFacts
    private var findings: [Finding] = []
    private var work = Known<WorkStatus>.failure(Unanswered(why: unasked))
    private var connection: Connection?
    /// Why no further question is asked. Nil: questions go on.
    private var end: String?
    private let deadline = ContinuousClock.now + .seconds(25)
    /// In microseconds: this machine's clock when the server's was read, since 1970; and the round trip.
    private var (askedAt, trip): (Int64, Int64) = (0, 0)

    private static let unasked = "the database does not answer, or its schema nudged can't be read"

    private init(_ configuration: ConnectionConfiguration, _ rules: Rules, _ zones: ZoneFacts) {
        var bounded = configuration
        bounded.connectTimeout = min(configuration.connectTimeout, .seconds(4))
        bounded.statementTimeout = .seconds(3)
        (self.configuration, self.rules, self.zones) = (bounded, rules, zones)
    }

    static func run(_ configuration: Configuration?, _ zones: ZoneFacts) async -> ([Finding], Known<WorkStatus>) {
        guard let configuration, let access = try? DatabaseAccess(configuration) else {
            let why = "the configuration can't be used"
            let connection = Finding.unchecked(why).of(.database, "connection")
            let tls = Finding.unchecked("the configuration has no valid database.url").of(.database, "tls")
            return ([connection, tls] + rest(needsServer, why, zoneChecks), .failure(Unanswered(why: why)))
        }
        let examination = DatabaseExamination(access.connection, configuration.policy, zones)
        await examination.examine()
        await examination.connection?.close()
        return await (examination.findings, examination.work)
    }

    private static let needsServer = "the other checks need a database that answers"
    private static let zoneChecks = ["postgresql", "used", "waiting"]

    /// One line that stands for all checks that need what is missing, and one for each check of the zones.
    private static func rest(_ missing: String, _ why: String, _ zoneChecks: [String]) -> [Finding] {
        [Finding.unchecked(missing).of(.database, "rest")] + zoneChecks.map { .unchecked(why).of(.zones, $0) }
    }

    private func examine() async {
        let answer = await meet()
        note("connection", Verdicts.connection(answer, configuration, trip: trip))
        note("tls", Verdicts.encryption(configuration))
        guard case .success(let server) = answer else {
            findings += Self.rest(Self.needsServer, Self.unasked, Self.zoneChecks)
            return
        }
        note("pooler", (await pooling()).findings(Verdicts.pooler))
        // In seconds east of UTC at present, by the server's files.
        let offsets: Known<[String: Int]> = await ask(.doctorZones) { rows in
            let zones = try rows.decoded { (name: String, offset: Int32) in (name, Int(offset)) }
            return Dictionary(zones) { first, _ in first }
        }
        note("postgresql", offsets.findings(zones.compared), .zones)
        note("writable", Verdicts.writability(server, configuration))
        // The database's clock decides when a nudge is due. This machine's clock is in the provider tokens for Apple.
        note("clock", Finding.clock(whose: "the database's", ahead: server.clock - askedAt, margin: trip / 2))
        note("encoding", Verdicts.encoding(server.encoding))
        note("replication_role", Verdicts.triggers(server))
        guard server.hasSchema, server.mayUseSchema else {
            if !server.hasSchema { note("migrations", Verdicts.migrations(.behind(Migration.all))) }
            note("role", Verdicts.role(server))
            if server.hasSchema { note("rights", Verdicts.noUsage(server)) }
            note("autovacuum", Verdicts.cleaning(server, []))
            await check("holders", .doctorHolders) { Verdicts.holders(try $0.decoded(at: 0, Verdicts.Holders.init)) }
            let missing = "the checks of rights, bindings, views, tables, partitions and work need schema nudged"
            findings += Self.rest(missing, Self.unasked, ["used", "waiting"])
            return
        }
        await examineSchema(server)
        await examineHealth(server)
        let known = (try? offsets.get()) ?? [:]
        await check("used", .doctorUsedZones, [ZoneFacts.mostParameter], .zones) { [zones] rows in
            zones.known(try rows.decoded { (name: String, count: Int) in (name, count) }, known)
        }
        await check("waiting", .doctorWaitingZones, [ZoneFacts.mostParameter], .zones) { [zones, rules] rows in
            let messages = try rows.decoded { (own: String?, profile: String?, count: Int) in (own, profile, count) }
            return zones.waiting(messages, standard: rules.defaultTimezone)
        }
    }

    private func examineSchema(_ server: DatabaseFacts.Server) async {
        await check("migrations") { Verdicts.migrations(try await Migrator.schemaState($0)) }
        note("role", Verdicts.role(server))
        note("schemas", Verdicts.creators(server))
        let wanted = DaemonRight.all
        let names = [wanted.map(\.object), wanted.map(\.privilege)].map { Parameter.textArray($0) }
        await check("rights", .doctorRights, names) { rows in
            let states = try rows.decoded { (exists: Bool, isGranted: Bool) in (exists, isGranted) }
            return Verdicts.rights(try Self.each(wanted, states).map { ($0, $1.0, $1.1) }, of: server.role)
        }
        await check("excess_rights") { Verdicts.excessRights(try await ExcessRight.all($0)) }
        await check("writer") { Verdicts.writer(try await DatabaseFacts.Written.read($0)) }
        await check("bindings") { Verdicts.bindings(try await Migrator.bindingFaults($0)) }
        let views = DatabaseFacts.View.allCases
        let columns = await ask(.doctorColumns, [.textArray(views.map(\.rawValue))]) { rows in
            try rows.decoded { (view: String, name: String, type: String) in (view, name, type) }
        }
        for view in views {
            let reading = await ask { connection in _ = try await connection.run(view.probe) }
            note(view.rawValue, columns.findings { Verdicts.view(view, $0, reading) })
        }
        await check("row_security", .doctorOpenTables) { rows in
            Verdicts.rowSecurity(try rows.decoded { (name: String) in name })
        }
        let tables = AppTable.all.map(\.name)
        await check("app_tables", .doctorAppTables, [.textArray(tables)]) { rows in
            Verdicts.appTables(try Self.each(tables, try rows.decoded(Verdicts.TableState.init)))
        }
    }

    private static func each<Asked, Answer>(_ asked: [Asked], _ answers: [Answer]) throws -> [(Asked, Answer)] {
        guard asked.count == answers.count else { throw PostgresError(.unexpectedResult) }
        return Array(zip(asked, answers))
    }

    private func examineHealth(_ server: DatabaseFacts.Server) async {
        await check("partitions", .doctorPartitions) { Verdicts.partitions(Int(try $0.int4OrNull(0, 0) ?? 400)) }
        let hotTables = ["daemon", "intent", "message", "occurrence", "person", "touched"]
        let bloat = await ask(.doctorBloat, [.textArray(hotTables)]) { try $0.decoded(Verdicts.Bloat.init) }
        note("autovacuum", Verdicts.cleaning(server, (try? bloat.get()) ?? []))
        note("bloat", bloat.findings(Verdicts.bloat))
        await check("holders", .doctorHolders) { Verdicts.holders(try $0.decoded(at: 0, Verdicts.Holders.init)) }
        await check("users", .unseenUsers, [.uuid(Store.firstUser), .int8(Int64(Verdicts.mostUnseen))]) { rows in
            Verdicts.unseen(try rows.uuidArray(0, 0).count, isAll: try rows.uuidOrNull(0, 1) == nil)
        }
        await check("texts", .doctorTexts, [ZoneFacts.mostParameter]) { Verdicts.texts(areLacking: try $0.bool(0, 0)) }
        if rules.skipIfActiveMinutes != nil || rules.backOffAfter != nil {
            await check("activity", .doctorSeen) { Verdicts.activity(isLacking: try $0.bool(0, 0)) }
        }
        work = await ask { try await Store.workStatus($0) }
        note("work", work.findings(Verdicts.work))
    }

    private func check(
        _ name: String,
        _ query: Query,
        _ parameters: [Parameter] = [],
        _ group: Finding.Group = .database,
        _ verdict: (Rows) throws -> some Verdict
    ) async { note(name, (await ask(query, parameters) { try verdict($0).findings }).findings { $0 }, group) }

    private func check(_ name: String, _ question: (Connection) async throws -> some Verdict) async {
        note(name, (await ask { try await question($0).findings }).findings { $0 })
    }

    private func note(_ check: String, _ verdict: some Verdict, _ group: Finding.Group = .database) {
        findings += verdict.findings.map { $0.of(group, check) }
    }

    private func meet() async -> Known<DatabaseFacts.Server> {
        let first = await ask(DatabaseFacts.Server.read)
        guard case .success = first else { return first }
        // Asked again on an open connection: the first answer's time included name resolution and TLS.
        let begun = WallTime.microseconds()
        let again = await ask(DatabaseFacts.Server.read)
        guard case .success = again else { return first }
        trip = WallTime.microseconds() - begun
        askedAt = begun + trip / 2
        return again
    }

    /// Our own connection is closed first: a pool may have only one for us.
    private func pooling() async -> Known<Pooling> {
        await connection?.close()
        connection = nil
        do {
            return .success(try await Pooling.of(configuration))
        } catch {
            return .failure(Unanswered(why: error.description, error: error))
        }
    }

    private func ask<T: Sendable>(
        _ query: Query,
        _ parameters: [Parameter] = [],
        _ read: (Rows) throws -> T
    ) async -> Known<T> { await ask { try read(try await $0.run(query(parameters))) } }

    private func ask<T: Sendable>(_ question: (Connection) async throws -> T) async -> Known<T> {
        if let end { return .failure(Unanswered(why: end)) }
        guard deadline > .now else { return .failure(Unanswered(why: "the database takes too long to answer")) }
        do {
            let open: Connection
            if let connection, connection.isUsable {
                open = connection
            } else {
                // If this fails, later questions would wait as long and fail too.
                end = "the database no longer accepts a connection"
                open = try await Connection.open(configuration)
                (connection, end) = (open, nil)
            }
            return .success(try await question(open))
        } catch {
            return .failure(Unanswered(why: "\(error)", error: error as? PostgresError))
        }
    }
}
