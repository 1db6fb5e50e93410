import Configuration
import Glibc
import Postgres
import Store

/// Asks a database all that `DatabaseAnswers` holds: one question after the other, each by itself, so that one which fails or hangs takes no other with it.
actor DatabaseExamination {
    private let configuration: ConnectionConfiguration
    private var answers: DatabaseAnswers
    private var connection: Connection?
    /// Why nothing more is asked.
    private var end: String?
    private let deadline: ContinuousClock.Instant

    /// A host has so long to let us in, a statement to be answered, all of them together.
    private static let connecting = Duration.seconds(4)
    private static let answering = Duration.seconds(3)
    private static let patience = Duration.seconds(25)

    private init(_ configuration: ConnectionConfiguration) {
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, Self.connecting)
        configuration.statementTimeout = Self.answering
        self.configuration = configuration
        answers = DatabaseAnswers(
            unasked: "the database does not answer, or has no schema nudged that can be looked at"
        )
        answers.connection = configuration
        deadline = .now + Self.patience
    }

    /// - Parameter configuration: nil where it can't be used.
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
        if !server.hasSchema { answers.standing = .value(.behind(Migration.all)) }
        if server.hasSchema, server.mayUseSchema { await askSchema() }
        await connection?.close()
        return answers
    }

    private func askSchema() async {
        answers.standing = await ask { reader throws(PostgresError) in try await reader.standing() }
        answers.rights = await ask { reader throws(PostgresError) in try await reader.rights() }
        answers.triggers = await ask { reader throws(PostgresError) in try await reader.triggers() }
        answers.columns = await ask { reader throws(PostgresError) in try await reader.columns() }
        answers.appTables = await ask { reader throws(PostgresError) in try await reader.appTables() }
        answers.openTables = await ask { reader throws(PostgresError) in try await reader.openTables() }
        answers.partitionDays = await ask { reader throws(PostgresError) in try await reader.partitionDays() }
        answers.bloat = await ask { reader throws(PostgresError) in try await reader.bloat() }
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

    /// Lets itself in, and reads the server's clock beside this machine's.
    private func meet() async {
        answers.server = await ask { reader throws(PostgresError) in try await reader.server() }
        guard answers.server.value != nil else { return }
        // Once more, on a connection that stands: the first answer took the way through name server and TLS.
        let begun = Self.wall()
        let again = await ask { reader throws(PostgresError) in try await reader.server() }
        guard again.value != nil else { return }
        answers.server = again
        answers.trip = Self.wall() - begun
        answers.askedAt = begun + answers.trip / 2
    }

    /// With our own connection closed: a pool may have no more than one for us.
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
                // What is asked next would wait as long for nothing.
                end = "the database does not let us in any more"
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

    /// Microseconds since 1970.
    private static func wall() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}
