import Configuration
import Delivery
import Service
import ArgumentParser
import Glibc
import LocalPostgres
import Logging
import Systemd

/// `nudged-bench sweep`: users a second from due to recorded, with PostgreSQL, a simulated Apple and the daemon on one machine.
struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Users a second from due to recorded.")

    @Option(help: "Users who are due.") var users = 100_000
    @Option(help: "apns.maxInFlight; else the default.") var maxInFlight: Int?
    @Option(help: "schedule.batch; else the default.") var batch: Int?
    @Option(help: "floor.sh, which is run afterwards on the same cluster.") var floor: String?

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users, due: true)
        let apple = try ChildProcess(
            [CommandLine.arguments[0], "apple", "--folder", bench.folder],
            output: .captured
        )
        defer { _ = apple.end() }
        guard apple.waitForOutput(.seconds(20), where: { $0.contains("\n") }),
            let port = UInt16(apple.output.split(separator: "\n").first ?? "")
        else { throw ValidationError("the simulated Apple did not start") }
        let configuration = try configuration(bench, port: port)

        let server = bench.cluster.serverID ?? 0
        let databaseBefore = ProcessTimes.seconds(ofTree: server)
        let appleBefore = ProcessTimes.seconds(ofTree: apple.id)
        let before = ProcessUsage.now()
        let start = monotonicSeconds()
        let result = try await OneRun(configuration, log: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
            .run()
        let seconds = monotonicSeconds() - start
        let after = ProcessUsage.now()
        let database = ((ProcessTimes.seconds(ofTree: server) - databaseBefore) * 1e6 / Double(users)).text(1)
        let appleTime = ((ProcessTimes.seconds(ofTree: apple.id) - appleBefore) * 1e6 / Double(users)).text(1)

        let recorded = try bench.psql("select count(*) from nudged.delivery where outcome = 'accepted'")
        let rate = (Double(users) / seconds).text(0)
        let cpu = ((after.seconds - before.seconds) * 1e6 / Double(users)).text(2)
        let shares = try bench.psql(
            "select round(100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1)) from pg_stat_user_tables where relid = 'nudged.person'::regclass"
        )
        let least = try measureFloor(bench)
        let compared = least.map {
            #","floor_users_per_second":\#($0.text(0)),"ratio":\#((Double(users) / seconds / $0).text(2))"#
        }
        print(
            #"{"users":\#(users),"sent":\#(result.report.sent),"recorded":\#(recorded.filter(\.isNumber)),"seconds":\#(seconds.text(2)),"#
                + #""users_per_second":\#(rate),"cpu_us_per_user":\#(cpu),"database_us_per_user":\#(database),"apple_us_per_user":\#(appleTime),"max_rss_kb":\#(after.maxResidentKilobytes),"hot_percent":\#(shares.filter(\.isNumber))\#(compared ?? "")}"#
        )
        if result.report.sent != users { throw ExitCode.failure }
    }

    private var tuning: [String: String] {
        var tuning: [String: String] = [:]
        if let maxInFlight { tuning["APNS_MAX_IN_FLIGHT"] = "\(maxInFlight)" }
        if let batch { tuning["SCHEDULE_BATCH"] = "\(batch)" }
        return tuning
    }

    /// Users a second of the least SQL that does the same work, on two connections (the script prints one line a number of connections).
    private func measureFloor(_ bench: Workbench) throws -> Double? {
        guard let floor else { return nil }
        let url = bench.cluster.url(database: "bench")
        let lines = try ChildProcess.run(["bash", floor, url, "\(users)", "1000"]).split(separator: "\n")
        guard let two = lines.first(where: { $0.contains(#""connections":2"#) }),
            let place = two.firstRange(of: #""floor_users_per_second":"#)
        else { throw ValidationError("floor.sh said nothing of two connections") }
        return Double(two[place.upperBound...].prefix { $0.isNumber || $0 == "." })
    }

    private func configuration(_ bench: Workbench, port: UInt16) throws -> Configuration {
        try ConfigurationLoader.load(
            environment: [
                "APNS_TEAM_ID": Apple.teamID, "APNS_KEY_ID": Apple.keyID, "APNS_BUNDLE_ID": Apple.topic,
                "APNS_PRIVATE_KEY": try BenchFile.read(bench.folder + "/key.p8"), "APNS_ENVIRONMENT": "sandbox",
                "APNS_ENDPOINT": "https://localhost:\(port)", "APNS_CA_FILE": bench.folder + "/ca.pem",
                "DATABASE_URL": bench.cluster.url(database: "bench"),
            ].merging(tuning) { $1 },
            checks: .system,
            standardPath: "/nonexistent"
        ).configuration
    }
}
