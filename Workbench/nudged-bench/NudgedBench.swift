import ArgumentParser
import Glibc
import Systemd

/// Benchmarks. Each command prints one JSON object per run, except `faults`.
@main
struct NudgedBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged-bench",
        abstract: "Benchmarks and fault tests of nudged. Benchmarks print one JSON object.",
        subcommands: [
            Send.self, Decide.self, Sweep.self, Idle.self, Record.self, HeldXmin.self, Messages.self,
            ForecastBench.self, ChaosCommand.self, JournalBench.self, FaultsCommand.self,
        ]
    )

    static func main() async {
        // As `nudged` does.
        ThisProcess.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
