import APNsSimulator
import ArgumentParser
import Certificates
import Dispatch
import Glibc

/// `nudged-apple`: the simulated Apple as a command.
@main
struct NudgedApple: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged-apple",
        abstract: "Simulates Apple's push service, to try nudged without a key of Apple's.",
        discussion: """
            It listens on localhost, prints a line for each push, and ends with Control-C or SIGTERM. Then it prints its \
            counts. `nudged setup --apple simulated` finds it by what it writes into its folder: the certificate to \
            trust (ca.pem), a key that only it knows (AuthKey_SIMULATED0.p8), and its address (endpoint).

            It checks each push as Apple does, but it accepts every key, team and topic. It shows the first digits of \
            a token, never all.

            --answer PREFIX=ANSWER answers tokens that begin so, and may be repeated. ANSWER is a status, or a status \
            and Apple's reason (403:InvalidProviderToken), or silence, or reset. Example: --answer dead=410 --answer \
            bad0=400.

            Exit status: 0 after Control-C or SIGTERM, 1 if it can't listen or write its files, 64 if the command line \
            is wrong.
            """
    )
    static let keyID = "SIMULATED0"

    @Option(help: "The folder that it writes to.") var folder = "/run/nudged-apple"
    @Option(help: "The TCP port; 0 takes a free one.") var port: UInt16 = 2197
    @Option(help: ArgumentHelp("Another answer than 200.", valueName: "prefix=answer")) var answer: [AnswerRule] = []
    @Option(help: ArgumentHelp("How long each answer takes, in milliseconds.", valueName: "ms")) var delay = 0
    @Option(help: ArgumentHelp("Accept only this team's tokens, signed by the key of its folder.", valueName: "id"))
    var team: String?
    @Flag(help: "Print JSON, one object in each line. Each push's payload is in it.") var json = false
    @Flag(help: "Print no pushes.") var quiet = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let files = try SimulatorFolder(folder)
        let simulator: APNsSimulator
        do {
            simulator = try APNsSimulator(script: script(files), certificate: files.server, port: port)
            try simulator.start()
        } catch {
            throw Failure("\(error)" + (port == 0 ? "" : "; if another program has the port, give --port"))
        }
        let (ends, ended) = AsyncStream<Void>.makeStream()
        var signals: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { ended.finish() }
            // Only then does a signal count, so the first line comes later.
            await withCheckedContinuation { ready in
                source.setRegistrationHandler { ready.resume() }
                source.resume()
            }
            signals.append(source)
        }
        let endpoint = simulator.endpoint
        try files.announce(endpoint)
        Log.write(json ? #"{"endpoint":"\#(endpoint)"}"# : "listens on \(endpoint), and writes to \(folder)")
        for await _ in ends {}
        withExtendedLifetime(signals) {}
        simulator.stop()
        files.leave()
        let counts = simulator.counts
        Log.write(
            json
                ? #"{"accepted":\#(counts.accepted),"requests":\#(counts.requests),"connections":\#(counts.connections)}"#
                : "accepted \(counts.accepted) of \(counts.requests) pushes, on \(counts.connections) connections"
        )
    }

    private func script(_ files: SimulatorFolder) -> SimulatorScript {
        var settings = SimulatorSettings()
        settings.recordsAll = false
        settings.checksProviderToken = team != nil
        settings.keys = team.map { [(keyID: Self.keyID, teamID: $0, pem: files.key)] } ?? []
        var script = SimulatorScript(settings: settings)
        // Without rules it accepts all at once, which is faster.
        if delay > 0 || !answer.isEmpty {
            let (pause, rules) = (Duration.milliseconds(delay), answer)
            script.perPush = { push, _ in
                let token = push.token.lowercased()
                let answer = rules.first { token.hasPrefix($0.prefix) }?.answer(at: push.receivedAt) ?? .accept
                return pause > .zero ? .delay(pause, then: answer) : answer
            }
        }
        if !quiet { script.onAnswered = json ? Log.json : Log.readable }
        return script
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

struct AnswerRule: ExpressibleByArgument {
    let prefix: String
    private let answer: ScriptedAnswer

    private static let reasons = [
        400: "BadDeviceToken", 403: "InvalidProviderToken", 404: "BadPath", 405: "MethodNotAllowed",
        410: "Unregistered", 413: "PayloadTooLarge", 429: "TooManyRequests", 500: "InternalServerError",
        503: "ServiceUnavailable",
    ]

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0].allSatisfy(\.isHexDigit) else { return nil }
        prefix = parts[0].lowercased()
        switch parts[1] {
        case "200": answer = .accept
        case "silence": answer = .silence
        case "reset": answer = .closeTCP
        default:
            let said = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
            guard let status = Int(said[0]), 400...599 ~= status,
                let reason = said.dropFirst().first ?? Self.reasons[status]
            else { return nil }
            answer = .answer(status: status, reason: reason)
        }
    }

    /// Apple says of a 410 since when the token is dead.
    func answer(at now: Int64) -> ScriptedAnswer {
        guard case .answer(410, let reason, _, _) = answer else { return answer }
        return .answer(status: 410, reason: reason, timestamp: now * 1000)
    }
}
