import Postgres
import Testing

@testable import Service

@Suite struct ReporterDatabaseTests {
    /// What an operator filters by: the word says whether PostgreSQL is gone, refuses us, or is only held up.
    @Test(
        arguments: [
            (PostgresError.Code.connectionLost, "57P01", "error database_lost"),
            (.connectionFailed, nil, "error database_lost"),
            (.timedOut, nil, "error database_lost"), (.connectionFailed, "28P01", "error database_refused"),
            (.refusedByServer, "42501", "error database_refused"), (.refusedByServer, "55P03", "warning database_busy"),
            (.refusedByServer, "57014", "warning database_busy"), (.refusedByServer, "40P01", "warning database_busy"),
        ] as [(PostgresError.Code, String?, String)]
    )
    func databaseFailed_isSaidByItsWord(code: PostgresError.Code, state: String?, text: String) {
        let lines = ReporterLines()
        Reporter(lines.logger).databaseFailed(PostgresError(code, sqlState: state, statement: "claim_taken"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix(text + " "), "\(lines.all)")
    }

    /// The database answers, but does not have what the statement names.
    @Test func databaseFailed_whenTheSchemaDoesNotFit_isNoOutage() {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        reporter.databaseFailed(PostgresError(.refusedByServer, sqlState: "42P01", statement: "claim_profiles"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("warning write_failed "), "\(lines.all)")
        #expect(reporter.databaseTroubleText == nil && !reporter.isDatabaseAway)
        reporter.databaseFailed(PostgresError(.refusedByServer, sqlState: "42501", statement: "drain"))
        #expect(reporter.databaseTroubleText != nil && !reporter.isDatabaseAway)
        reporter.databaseFailed(PostgresError(.connectionLost, statement: "drain"))
        #expect(reporter.isDatabaseAway)
        reporter.databaseAnswered()
        #expect(!reporter.isDatabaseAway)
    }
}
