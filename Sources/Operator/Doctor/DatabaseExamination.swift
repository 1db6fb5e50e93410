import Base
import Configuration
import Core
import Policy
import Postgres

/// Asks the database one question after the other, and makes findings of the answers. A question that fails or hangs
/// does not affect the others.
actor DatabaseExamination {
    struct Result: Sendable {
        var findings: [Finding] = []
        var work: Known<WorkStatus>
        var zoneOffsets: Known<[String: Int]>
        var usedZones: Known<DatabaseFacts.UsedZones>
        var waitingZones: Known<DatabaseFacts.WaitingZones>

        init(unasked why: String) {
            work = .failure(Unanswered(why: why))
            zoneOffsets = .failure(Unanswered(why: why))
            usedZones = .failure(Unanswered(why: why))
            waitingZones = .failure(Unanswered(why: why))
        }
    }

    private typealias Verdicts = DatabaseVerdicts

    private let configuration: ConnectionConfiguration
    private let rules: Rules
    private var result: Result
    private var connection: Connection?
    /// Why no further question is asked. Nil: questions go on.
    private var end: String?
    private let deadline: ContinuousClock.Instant
    /// This machine's clock when the server's clock was read, in microseconds since 1970; and the round trip in
    /// microseconds.
    private var (askedAt, trip): (Int64, Int64) = (0, 0)

    /// The time for connecting to a host, for one statement, and for all questions together.
    private static let connecting = Duration.seconds(4)
    private static let answering = Duration.seconds(3)
    private static let patience = Duration.seconds(25)

    private init(_ configuration: ConnectionConfiguration, _ rules: Rules) {
        self.rules = rules
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, Self.connecting)
        configuration.statementTimeout = Self.answering
        self.configuration = configuration
        result = Result(unasked: "the database does not answer, or its schema nudged can't be read")
        deadline = .now + Self.patience
    }

    static func run(_ configuration: Configuration?) async -> Result {
        guard let configuration, let access = try? DatabaseAccess(configuration) else {
            let why = "the configuration can't be used"
            var result = Result(unasked: why)
            result.findings = [
                Finding.unchecked(why).of(.database, "connection"),
                Finding.unchecked("the configuration has no valid database.url").of(.database, "tls"),
                rest("the other checks need a database that answers"),
            ]
            return result
        }
        let examination = DatabaseExamination(access.connection, configuration.policy)
        await examination.examine()
        await examination.connection?.close()
        return await examination.result
    }

    /// One line that stands for all checks that need what is missing.
    private static func rest(_ why: String) -> Finding { Finding.unchecked(why).of(.database, "rest") }

    // MARK: The checks, in the order of the report

    private func examine() async {
        let answer = await meet()
        note("connection", Verdicts.connection(answer, configuration, trip: trip))
        note("tls", Verdicts.encryption(configuration))
        guard case .success(let server) = answer else {
            result.findings.append(Self.rest("the other checks need a database that answers"))
            return
        }
        note("pooler", (await pooling()).findings(Verdicts.pooler))
        result.zoneOffsets = await ask(DoctorReader.zoneOffsets)
        note("writable", Verdicts.writability(server, configuration))
        let skew = ClockSkew(ahead: server.clock - askedAt, margin: trip / 2)
        // The database's clock decides when a nudge is due. This machine's clock is in the provider tokens for Apple.
        note("clock", skew.finding(whose: "the database's"))
        note("encoding", Verdicts.encoding(server))
        note("replication_role", Verdicts.triggers(server))
        guard server.hasSchema, server.mayUseSchema else {
            if !server.hasSchema { note("migrations", Verdicts.migrations(.behind(Migration.all))) }
            note("role", Verdicts.role(server))
            if server.hasSchema { note("rights", Verdicts.noUsage(server)) }
            note("autovacuum", Verdicts.cleaning(server, []))
            await check("holders", DoctorReader.holders, Verdicts.holders)
            let why = "the checks of rights, bindings, views, tables, partitions and work need schema nudged"
            result.findings.append(Self.rest(why))
            return
        }
        await examineSchema(server)
        await examineHealth(server)
    }

    private func examineSchema(_ server: DatabaseFacts.Server) async {
        await check("migrations", DoctorReader.schemaState, Verdicts.migrations)
        note("role", Verdicts.role(server))
        note("schemas", Verdicts.creators(server))
        await check("rights", DoctorReader.rights) { Verdicts.rights($0, of: server.role) }
        await check("excess_rights", DoctorReader.excessRights, Verdicts.excessRights)
        await check("writer", DoctorReader.written, Verdicts.writer)
        await check("bindings", DoctorReader.bindingFaults, Verdicts.bindings)
        let columns = await ask(DoctorReader.columns)
        for view in DatabaseFacts.View.allCases {
            let reading = await ask { reader in { () async throws(PostgresError) in try await reader.read(view) } }
            note(view.rawValue, columns.findings { Verdicts.view(view, $0, reading) })
        }
        await check("row_security", DoctorReader.openTables, Verdicts.rowSecurity)
        await check("app_tables", DoctorReader.appTables, Verdicts.appTables)
    }

    private func examineHealth(_ server: DatabaseFacts.Server) async {
        await check("partitions", DoctorReader.partitionDays, Verdicts.partitions)
        let bloat = await ask(DoctorReader.bloat)
        note("autovacuum", Verdicts.cleaning(server, (try? bloat.get()) ?? []))
        note("bloat", bloat.findings(Verdicts.bloat))
        await check("holders", DoctorReader.holders, Verdicts.holders)
        await check("users", DoctorReader.unseenUsers, Verdicts.unseen)
        await check("texts", DoctorReader.lacksTexts, Verdicts.texts)
        if rules.skipIfActiveMinutes != nil || rules.backOffAfter != nil {
            await check("activity", DoctorReader.lacksActivity, Verdicts.activity)
        }
        result.work = await ask(DoctorReader.work)
        note("work", result.work.findings(Verdicts.work))
        result.usedZones = await ask(DoctorReader.usedZones)
        result.waitingZones = await ask(DoctorReader.waitingZones)
    }

    private func note(_ check: String, _ verdict: some Verdict) {
        result.findings += verdict.findings.map { $0.of(.database, check) }
    }

    private func check<T: Sendable>(
        _ name: String,
        _ question: (DoctorReader) -> () async throws(PostgresError) -> T,
        _ verdict: (T) -> some Verdict
    ) async { note(name, await ask(question).findings(verdict)) }

    // MARK: Questions

    /// Connects, and reads the server's clock beside this machine's.
    private func meet() async -> Known<DatabaseFacts.Server> {
        let first = await ask(DoctorReader.server)
        guard case .success = first else { return first }
        // Asked again on an open connection: the first answer's time included name resolution and TLS.
        let begun = WallTime.microseconds()
        let again = await ask(DoctorReader.server)
        guard case .success = again else { return first }
        trip = WallTime.microseconds() - begun
        askedAt = begun + trip / 2
        return again
    }

    /// Our own connection is closed first: a pool may have only one for us.
    private func pooling() async -> Known<Pooling> {
        await connection?.close()
        connection = nil
        do throws(PostgresError) {
            return .success(try await Pooling.of(configuration))
        } catch {
            return .failure(Unanswered(why: error.description, error: error))
        }
    }

    private func ask<T: Sendable>(_ question: (DoctorReader) -> () async throws(PostgresError) -> T) async -> Known<T> {
        if let end { return .failure(Unanswered(why: end)) }
        guard ContinuousClock.now < deadline else {
            return .failure(Unanswered(why: "the database takes too long to answer"))
        }
        do throws(PostgresError) {
            let open: Connection
            if let connection, connection.isUsable {
                open = connection
            } else {
                do throws(PostgresError) {
                    open = try await Connection.open(configuration)
                } catch {
                    // Later questions would wait as long and fail too.
                    end = "the database no longer accepts a connection"
                    throw error
                }
                connection = open
            }
            return .success(try await question(DoctorReader(open))())
        } catch {
            return .failure(Unanswered(why: error.description, error: error))
        }
    }
}
