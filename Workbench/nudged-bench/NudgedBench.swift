import ArgumentParser
import Glibc
import Systemd

/// Benchmarks: one command each, one JSON object on standard output a run.
@main
struct NudgedBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged-bench",
        abstract: "Benchmarks of nudged; each prints one JSON object.",
        subcommands: [
            Send.self, DecideCommand.self, Sweep.self, Idle.self, RecordCommand.self,
            HeldXmin.self, MessagesCommand.self, ForecastBench.self,
            Apple.self, ChaosCommand.self, JournalBench.self,
            FaultsCommand.self,
        ]
    )

    static func main() async {
        // As nudged does, whose work is measured here.
        Heap.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
