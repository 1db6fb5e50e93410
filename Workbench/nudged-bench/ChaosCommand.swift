import Service
import ArgumentParser
import Chaos
import Glibc
import Systemd

/// `nudged-bench chaos`: the sender against a simulated Apple that misbehaves. Both sides are compared.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract:
            "Pushes to a service that fails at random, and compares each push. Exit 1: a promise was broken."
    )

    @Option(help: "The seed of the faults. Default: a random one, which the output names.") var seed: UInt64?
    @Option(help: "How long pushes are sent, in seconds.") var seconds = 60
    @Option(help: "Pushes per second.") var rate = 1_000

    func validate() throws {
        guard seconds > 0, rate > 0 else { throw ValidationError("--seconds and --rate must be at least 1") }
    }

    func run() async throws {
        var template = Array("/tmp/nudged-chaos.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ValidationError("can't make a folder in /tmp") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Ctrl-C removes the folder and prints no figures, because half a run compares nothing.
        let end: @Sendable () -> Void = {
            Self.remove(folder)
            _exit(ExitStatus.interrupted.rawValue)
        }
        let signals = SignalSource([SIGINT: end, SIGTERM: end])
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
}
