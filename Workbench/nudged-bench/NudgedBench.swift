import Allocator
import ArgumentParser
import Chaos
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
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}

/// `nudged-bench chaos`: the sender against a simulated Apple that misbehaves. Both sides are compared.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Pushes to a service that fails at random, and compares each push. Exit 1: a promise was broken."
    )

    @Option(help: "The seed of the faults. Default: a random one, which the output names.") var seed: UInt64?
    @Option(help: "How long pushes are sent, in seconds.") var seconds = 60
    @Option(help: "Pushes per second.") var rate = 1_000

    func validate() throws {
        guard seconds > 0, rate > 0 else { throw ValidationError("--seconds and --rate must be at least 1") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        let report = try await ChaosRun(seed: seed, seconds: seconds, rate: rate).run()
        print(report.line)
        if !report.isClean { throw ExitCode.failure }
    }
}

/// `nudged-bench journal`: an entry's cost in this machine's journal. Large ones go as a memory file.
struct JournalBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Measures entries per second into this machine's journal."
    )

    @Option(help: "How many entries.") var count = 1_000
    @Option(help: "How many bytes the field NUDGED_BODY has.") var bytes = 200

    func run() throws {
        guard let journal = Journal() else { throw ValidationError("can't make a socket for the journal") }
        let body = String(repeating: "x", count: bytes)
        var lost = 0
        let start = ContinuousClock.now
        for number in 1...max(1, count) {
            let entry: [(name: String, value: String)] = [
                ("MESSAGE", "entry \(number) of \(count) from nudged-bench"), ("PRIORITY", "7"),
                ("SYSLOG_IDENTIFIER", "nudged-bench"), ("NUDGED_BODY", body),
            ]
            if !journal.send(entry) { lost += 1 }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(max(1, count)) / max(seconds, 1e-9))
        print(#"{"entries":\#(count),"bytes":\#(bytes),"lost":\#(lost),"entries_per_second":\#(rate)}"#)
    }
}
