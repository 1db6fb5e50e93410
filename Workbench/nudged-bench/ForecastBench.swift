import Operator
import ArgumentParser
import Glibc
import LocalPostgres

/// `nudged-bench forecast`: users a second of `nudged forecast`, on a private PostgreSQL.
struct ForecastBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "Users a second of a forecast."
    )

    @Option(help: "Users, one device each.") var users = 1_000_000
    @Option(help: "How far to look.") var hours = 48

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users, due: true)
        // For its key and certificate alone: a forecast sends nothing.
        let apple = try bench.startApple()
        defer { _ = apple.process.end() }
        let command = try ForecastRun(try bench.configuration(port: apple.port))
        let server = bench.cluster.serverID ?? 0
        let databaseBefore = ProcessTimes.seconds(ofTree: server)
        let before = ProcessUsage.now()
        let start = monotonicSeconds()
        let forecast = try await command.run(hours: hours) { _, _ in }
        let seconds = monotonicSeconds() - start
        let after = ProcessUsage.now()
        let database = (ProcessTimes.seconds(ofTree: server) - databaseBefore) * 1e6 / Double(users)
        print(
            #"{"users":\#(forecast.users),"pushes":\#(forecast.pushes),"hours":\#(hours),"seconds":\#(seconds.text(2)),"#
                + #""users_per_second":\#((Double(users) / seconds).text(0)),"cpu_us_per_user":\#(((after.seconds - before.seconds) * 1e6 / Double(users)).text(2)),"#
                + #""database_us_per_user":\#(database.text(2)),"max_rss_kb":\#(after.maxResidentKilobytes)}"#
        )
    }
}
