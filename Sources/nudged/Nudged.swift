import ArgumentParser
import Glibc
import Systemd

@main
struct Nudged: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged",
        abstract: "Decides when to nudge which users of an app, and sends the pushes to Apple.",
        version: Version.current,
        subcommands: [
            Run.self, Reload.self, Migrate.self, CheckConfig.self, Config.self, Doctor.self, Status.self, Decide.self,
            Recover.self, Pause.self, Resume.self, Replan.self, Explain.self, ForecastCommand.self, ReportCommand.self,
            SendTest.self,
        ]
    )

    /// SIGPIPE is ignored: a write to a closed pipe or socket is an error that the writer handles.
    static func main() async {
        StandardStreams.reserve()
        Heap.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
