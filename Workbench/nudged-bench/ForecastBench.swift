import Operator
import ArgumentParser
import Glibc
import LocalPostgres

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
        let apple = try bench.startApple()
        defer { _ = apple.process.end() }
        let configuration = try bench.configuration(apple.endpoint)
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
