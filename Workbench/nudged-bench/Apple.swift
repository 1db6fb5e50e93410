import APNsSimulator
import ArgumentParser
import Dispatch
import Glibc
import LocalPostgres

/// `nudged-bench apple`: the simulated Apple in its own process, so that a benchmark measures only the daemon.
///
/// Writes authority and key into a folder, and its port as the first line of standard output. At SIGTERM it prints its
/// counts.
struct Apple: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs a simulated Apple until SIGTERM.")

    @Option(help: "The folder for ca.pem and key.p8.") var folder: String
    @Option(help: "The TCP port; 0 takes a free one.") var port: UInt16 = 0

    @Option(help: "The delay of each answer in milliseconds.") var delay = 0
    @Flag(
        help:
            "Refuses tokens that start so: dead (410 Unregistered), bad0 (400 BadDeviceToken), 5030 (503)."
    )
    var refusing = false

    static let (teamID, keyID, topic) = ("ABCDE12345", "KEY1234567", "com.example.App")

    /// The answer for each token; nil accepts all at once, which is faster.
    private var answers: (@Sendable (String, Int) -> ScriptedAnswer?)? {
        guard delay > 0 || refusing else { return nil }
        let (pause, refusing) = (Duration.milliseconds(delay), refusing)
        return { token, _ in
            let answer: ScriptedAnswer =
                switch refusing ? token.prefix(4) : "" {
                case "dead": .unregistered(timestamp: 1_900_000_000_000)
                case "bad0": .answer(status: 400, reason: "BadDeviceToken")
                case "5030": .answer(status: 503, reason: "ServiceUnavailable")
                default: .accept
                }
            return pause > .zero ? .delay(pause, then: answer) : answer
        }
    }

    func run() async throws {
        let certificate = try SimulatorCertificate()
        var settings = SimulatorSettings()
        settings.keys = [certificate.registered(keyID: Self.keyID, teamID: Self.teamID)]
        settings.topics = [Self.topic]
        settings.recordsAll = false
        var script = SimulatorScript(settings: settings)
        script.perDevice = answers
        // Written before a client can connect, so that a client that finds the port open finds its files.
        try TextFile.write(folder + "/ca.pem", certificate.authority)
        try TextFile.write(folder + "/key.p8", certificate.providerKey.privateKey)
        let simulator = try APNsSimulator(
            script: script,
            certificate: certificate.server,
            port: port
        )
        try simulator.start()
        signal(SIGTERM, SIG_IGN)
        let stop = DispatchSource.makeSignalSource(signal: SIGTERM)
        // Not by print, which would buffer the line in a pipe.
        let line = Array("\(simulator.port)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, line, line.count)
        await withCheckedContinuation { continuation in
            stop.setEventHandler {
                stop.cancel()
                continuation.resume()
            }
            stop.resume()
        }
        let counts = simulator.counts
        simulator.stop()
        print(#"{"accepted":\#(counts.accepted),"requests":\#(counts.requests),"connections":\#(counts.connections)}"#)
    }
}
