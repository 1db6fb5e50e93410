import Service
import ArgumentParser
import Chaos
import Glibc
import Systemd

/// `nudged-bench chaos`: the sender against a simulated Apple that misbehaves by a seeded script, both sides' books compared.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract:
            "Pushes through a service that fails at random, compared one by one with what it took. Exit 1: a promise was broken."
    )

    @Option(help: "Of the script of faults; none: a random one, named in the output.") var seed: UInt64?
    @Option(help: "For how long pushes are sent.") var seconds = 60
    @Option(help: "Pushes a second.") var rate = 1_000

    func validate() throws {
        guard seconds > 0, rate > 0 else { throw ValidationError("--seconds and --rate are at least 1") }
    }

    func run() async throws {
        var template = Array("/tmp/nudged-chaos.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchFile.Failure(path: "/tmp") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Ctrl-C leaves no folder behind, and no figures either: half a run compares nothing.
        let signals = SignalSource([SIGINT: { Self.interrupt(folder) }, SIGTERM: { Self.interrupt(folder) }])
        defer {
            withExtendedLifetime(signals) {}
            Self.remove(folder)
        }
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        let report = try await ChaosRun(seed: seed, seconds: seconds, rate: rate, folder: folder).run()
        print(report.line)
        if !report.isClean { throw ExitCode.failure }
    }

    private static func remove(_ folder: String) {
        unlink(folder + "/ca.pem")
        rmdir(folder)
    }

    private static func interrupt(_ folder: String) {
        remove(folder)
        _exit(ExitStatus.interrupted.rawValue)
    }
}
