import Base
import Configuration
import Glibc
import Postgres
import Core

/// Asks the database all questions of `DatabaseAnswers`, one after the other. A question that fails or hangs does not
/// affect the others.
actor DatabaseExamination {
    private let configuration: ConnectionConfiguration
    private var answers: DatabaseAnswers
    private var connection: Connection?
    /// Why no further question is asked. Nil: questions go on.
    private var end: String?
    private let deadline: ContinuousClock.Instant

    /// The time for connecting to a host, for one statement, and for all questions together.
    private static let connecting = Duration.seconds(4)
    private static let answering = Duration.seconds(3)
    private static let patience = Duration.seconds(25)

    private init(_ configuration: ConnectionConfiguration) {
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, Self.connecting)
        configuration.statementTimeout = Self.answering
        self.configuration = configuration
        answers = DatabaseAnswers(unasked: "the database does not answer, or its schema nudged can't be read")
        answers.connection = configuration
        deadline = .now + Self.patience
    }

    /// - Parameter configuration: nil if it can't be used.
    static func run(_ configuration: Configuration?) async -> DatabaseAnswers {
        guard let configuration, let access = try? DatabaseAccess(configuration) else {
            return DatabaseAnswers(unasked: "the configuration can't be used")
        }
        return await DatabaseExamination(access.connection).run()
    }

    private func run() async -> DatabaseAnswers {
        await meet()
        guard let server = answers.server.value else {
            await connection?.close()
            return answers
        }
        answers.pooling = await pooling()
        answers.zoneOffsets = await ask { reader throws(PostgresError) in try await reader.zoneOffsets() }
        answers.holders = await ask { reader throws(PostgresError) in try await reader.holders() }
        if !server.hasSchema { answers.schemaState = .value(.behind(Migration.all)) }
        if server.hasSchema, server.mayUseSchema { await askSchema() }
        await connection?.close()
        return answers
    }

    private func askSchema() async {
        answers.schemaState = await ask { reader throws(PostgresError) in try await reader.schemaState() }
        answers.rights = await ask { reader throws(PostgresError) in try await reader.rights() }
        answers.excessRights = await ask { reader throws(PostgresError) in try await reader.excessRights() }
        answers.written = await ask { reader throws(PostgresError) in try await reader.written() }
        answers.bindingFaults = await ask { reader throws(PostgresError) in try await reader.bindingFaults() }
        answers.columns = await ask { reader throws(PostgresError) in try await reader.columns() }
        answers.appTables = await ask { reader throws(PostgresError) in try await reader.appTables() }
        answers.openTables = await ask { reader throws(PostgresError) in try await reader.openTables() }
        answers.partitionDays = await ask { reader throws(PostgresError) in try await reader.partitionDays() }
        answers.bloat = await ask { reader throws(PostgresError) in try await reader.bloat() }
        answers.unseen = await ask { reader throws(PostgresError) in try await reader.unseenUsers() }
        answers.usedZones = await ask { reader throws(PostgresError) in try await reader.usedZones() }
        answers.work = await ask { reader throws(PostgresError) in try await reader.work() }
        var errors: [DatabaseFacts.View: PostgresError] = [:]
        for view in DatabaseFacts.View.allCases {
            switch await ask({ reader throws(PostgresError) in try await reader.read(view) }) {
            case .value: break
            case .failed(let error): errors[view] = error
            case .unasked(let why):
                answers.views = .unasked(why)
                return
            }
        }
        answers.views = .value(errors)
    }

    /// Connects, and reads the server's clock beside this machine's.
    private func meet() async {
        answers.server = await ask { reader throws(PostgresError) in try await reader.server() }
        guard answers.server.value != nil else { return }
        // Asked again on an open connection: the first answer's time included name resolution and TLS.
        let begun = WallTime.microseconds()
        let again = await ask { reader throws(PostgresError) in try await reader.server() }
        guard again.value != nil else { return }
        answers.server = again
        answers.trip = WallTime.microseconds() - begun
        answers.askedAt = begun + answers.trip / 2
    }

    /// Our own connection is closed first: a pool may have only one for us.
    private func pooling() async -> Known<Pooling> {
        await connection?.close()
        connection = nil
        do throws(PostgresError) {
            return .value(try await Pooling.of(configuration))
        } catch {
            return .failed(error)
        }
    }

    private func ask<T: Sendable>(
        _ question: (DoctorReader) async throws(PostgresError) -> T
    ) async -> Known<T> {
        if let end { return .unasked(end) }
        guard ContinuousClock.now < deadline else { return .unasked("the database takes too long to answer") }
        if connection?.isUsable != true {
            do throws(PostgresError) {
                connection = try await Connection.open(configuration)
            } catch {
                // Later questions would wait as long and fail too.
                end = "the database no longer accepts a connection"
                return .failed(error)
            }
        }
        guard let connection else { return .unasked("there is no connection") }
        do throws(PostgresError) {
            return .value(try await question(DoctorReader(connection)))
        } catch {
            return .failed(error)
        }
    }
}
