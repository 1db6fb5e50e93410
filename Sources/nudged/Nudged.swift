import ArgumentParser
import Glibc
import Systemd

/// The one binary.
@main
struct Nudged: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged",
        abstract:
            "Decides on its own schedule whom to nudge, and nudges them: PostgreSQL in, Apple's push service out.",
        version: Version.current,
        subcommands: [
            Run.self, Reload.self, Migrate.self, CheckConfig.self, Config.self, Doctor.self, Status.self, Decide.self,
            Recover.self, Pause.self, Resume.self, Replan.self, Explain.self, ForecastCommand.self, ReportCommand.self,
            SendTest.self,
        ]
    )

    /// A write to a closed pipe or socket is an error to be handled where it happens, not the end of the process.
    static func main() async {
        StandardStreams.reserve()
        Heap.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
