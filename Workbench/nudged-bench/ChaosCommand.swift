import ArgumentParser
import Chaos

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
