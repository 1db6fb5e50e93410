import ArgumentParser
import Certificates
import LocalPostgres
import Operator
import Service

/// `nudged-bench sweep`: users per second from due to recorded, all on one machine.
struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures users per second from due to recorded.")

    @Option(help: "How many users are due.") var users = 100_000
    @Flag(help: "Prints the time of each statement, by pg_stat_statements.") var statements = false
    @Option(help: "The path of Workbench/Limits/sql-floor, to run it on the same cluster.") var floor: String?
    @Option(help: "The server, as https://localhost:port. Default: the simulated Apple.") var endpoint: String?
    @Option(help: "A file of certificates (PEM) to trust, with --endpoint.") var ca: String?

    func run() async throws {
        let bench = try Workbench(
            settings: statements
                ? ["shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"] : [:]
        )
        defer { bench.stop() }
        try await bench.seed(users: users)
        if statements { try bench.sql("create extension pg_stat_statements; select pg_stat_statements_reset()") }
        let apple = try endpoint == nil ? bench.startApple() : nil
        var tuning: [String: String] = [:]
        if let ca { tuning["APNS_CA_FILE"] = ca }
        if endpoint != nil { tuning["APNS_PRIVATE_KEY"] = try P256KeyPair.generate().privateKey }
        let configuration = try bench.configuration(endpoint ?? apple?.endpoint ?? "", tuning)

        let server = bench.cluster.serverID ?? 0
        let databaseBefore = ProcessUsage.seconds(ofTree: server)
        let appleID = apple?.process.id
        let appleBefore = appleID.map { ProcessUsage.seconds(ofTree: $0) } ?? 0
        let log = try bench.sql("select pg_current_wal_lsn()").trimmed
        let before = ProcessUsage.now()
        let start = monotonicSeconds()
        let result = try await OneRun(configuration, Reporter { _ in }).run()
        let seconds = monotonicSeconds() - start
        let after = ProcessUsage.now()
        let database = ((ProcessUsage.seconds(ofTree: server) - databaseBefore) * 1e6 / Double(users)).text(1)
        let appleTime = appleID.map { (ProcessUsage.seconds(ofTree: $0) - appleBefore) * 1e6 / Double(users) } ?? 0

        let logged = try bench.sql("select pg_wal_lsn_diff(pg_current_wal_lsn(), '\(log)')").trimmed
        let wal = ((Double(logged) ?? 0) / Double(users)).text(0)
        let recorded = try bench.sql("select count(*) from nudged.delivery where outcome = 'accepted'")
        let rate = (Double(users) / seconds).text(0)
        let cpu = ((after.seconds - before.seconds) * 1e6 / Double(users)).text(2)
        let shares = try bench.sql(
            "select round(100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1)) from pg_stat_user_tables where relid = 'nudged.person'::regclass"
        )
        if statements { print(try bench.sql(Self.statementTimes(users))) }
        let compared = try measureFloor(bench).map { floor in
            #","floor_users_per_second":\#(floor.rows.text(0)),"ratio":\#((Double(users) / seconds / floor.rows).text(2)),"#
                + #""ranges_users_per_second":\#(floor.ranges.text(0))"#
        }
        print(
            #"{"users":\#(users),"sent":\#(result.report.sent),"recorded":\#(recorded.filter(\.isNumber)),"seconds":\#(seconds.text(2)),"#
                + #""users_per_second":\#(rate),"cpu_us_per_user":\#(cpu),"database_us_per_user":\#(database),"apple_us_per_user":\#(appleTime.text(1)),"wal_bytes_per_user":\#(wal),"max_rss_kb":\#(after.maxResidentKilobytes),"hot_percent":\#(shares.filter(\.isNumber))\#(compared ?? "")}"#
        )
        if result.report.sent != users { throw ExitCode.failure }
    }

    /// For each statement: microseconds per user for planning and for execution, calls, and the start of its text.
    private static func statementTimes(_ users: Int) -> String {
        """
        select round(total_plan_time::numeric * 1000 / \(users), 2), round(total_exec_time::numeric * 1000 / \(users), 2), calls,
            left(regexp_replace(query, '\\s+', ' ', 'g'), 90)
        from pg_stat_statements order by total_plan_time + total_exec_time desc limit 20
        """
    }

    /// Users per second of the least SQL that does the same work, on two connections. It is measured with a lease for
    /// each row, and with ranges that each connection owns.
    private func measureFloor(_ bench: Workbench) throws -> (rows: Double, ranges: Double)? {
        guard let floor else { return nil }
        let output = try ChildProcess.run(
            ["bash", floor, bench.cluster.url(database: "bench"), "\(users)", "1000"],
            within: .seconds(3600)
        )
        func figure(_ name: String) throws -> Double {
            guard let place = output.firstRange(of: #""\#(name)":"#),
                let value = Double(output[place.upperBound...].prefix { $0.isNumber || $0 == "." })
            else { throw ValidationError("sql-floor printed no \(name)") }
            return value
        }
        return (try figure("floor_users_per_second"), try figure("ranges_users_per_second"))
    }
}

/// `nudged-bench forecast`: how many users per second `nudged forecast` evaluates, on a private PostgreSQL.
struct ForecastBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "Measures users per second of a forecast."
    )

    @Option(help: "How many users, with one device each.") var users = 1_000_000
    @Option(help: "How many hours to forecast.") var hours = 48

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users)
        // Only for its key and certificate: a forecast sends nothing.
        let configuration = try bench.configuration(try bench.startApple().endpoint)
        let server = bench.cluster.serverID ?? 0
        let databaseBefore = ProcessUsage.seconds(ofTree: server)
        let before = ProcessUsage.now()
        let start = monotonicSeconds()
        let forecast = try await Forecast.read(hours: hours, configuration) { _, _ in }
        let seconds = monotonicSeconds() - start
        let after = ProcessUsage.now()
        let database = (ProcessUsage.seconds(ofTree: server) - databaseBefore) * 1e6 / Double(users)
        print(
            #"{"users":\#(forecast.users),"pushes":\#(forecast.pushes),"hours":\#(hours),"seconds":\#(seconds.text(2)),"#
                + #""users_per_second":\#((Double(users) / seconds).text(0)),"cpu_us_per_user":\#(((after.seconds - before.seconds) * 1e6 / Double(users)).text(2)),"#
                + #""database_us_per_user":\#(database.text(2)),"max_rss_kb":\#(after.maxResidentKilobytes)}"#
        )
    }
}
