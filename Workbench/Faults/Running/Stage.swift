import Base
import APNsSimulator
import Glibc
import LocalPostgres
import Seeded
import Synchronization

/// The parts of one round: a database of its own, the simulated Apple over real TLS, and daemons as child processes.
final class Stage: Sendable {
    let population: Population
    let cluster: LocalCluster
    let database: String
    let simulator: APNsSimulator
    let folder: String
    let round: Round
    let workshop: Workshop
    let taken: TakenPushes
    let startedAt: Int64
    /// What the script notes while it plays, and the comparison at the end.
    let result: Mutex<RoundResult>
    typealias Comparison = @Sendable (Stage) async throws -> BookCheck
    let comparison = Mutex<Comparison?>(nil)
    private let processes = Mutex<[ChildProcess]>([])
    private let started = Mutex<[ChildProcess]>([])
    private let endings = Mutex<[@Sendable () -> Void]>([])
    /// Inverted, so that the script doesn't repeat the population's random numbers.
    private let random: Mutex<SplitMix64>
    private static let count = Atomic<Int>(0)

    init(_ round: Round, _ workshop: Workshop) throws {
        self.round = round
        self.workshop = workshop
        result = Mutex(RoundResult(name: round.name))
        random = Mutex(SplitMix64(seed: ~round.seed))
        startedAt = WallTime.milliseconds() / 1000
        population = Population(round.users, seed: round.seed, now: startedAt)
        let number = Self.count.add(1, ordering: .relaxed).newValue
        database = "faults_\(number)"
        folder = "\(workshop.folder)/\(number)"
        guard mkdir(folder, 0o700) == 0 else { throw FaultError("can't make \(folder)") }
        // Only the server crashes, not the machine. A commit must survive that, but need not wait for the disk.
        cluster =
            try round.scenery.ownCluster.map {
                try workshop.ownCluster(LocalCluster.Options(settings: ["synchronous_commit": "on"].merging($0) { $1 }))
            } ?? workshop.cluster
        taken = TakenPushes()
        var script = Self.script(round.scenery, population, taken)
        script.settings.keys = [workshop.certificate.registered(keyID: Workshop.keyID, teamID: Workshop.teamID)]
        script.settings.topics = [Workshop.topic]
        simulator = try APNsSimulator(script: script, certificate: workshop.certificate.server)
        try cluster.createDatabase(named: database, template: Workshop.template)
        try simulator.start()
        workshop.remember(self)
    }

    private static func script(_ scenery: Scenery, _ population: Population, _ taken: TakenPushes) -> SimulatorScript {
        let range = scenery.answers
        let perDevice: @Sendable (String, Int) -> ScriptedAnswer? = { token, attempt in
            if let answer = scenery.perDevice?(token, attempt) { return answer }
            let draw = token.stableHash
            let delay = Duration.milliseconds(range.lowerBound + Int(draw >> 32) % range.count)
            switch population.devices[token.lowercased()]?.answer {
            case .gone(let since)?: return .delay(delay, then: .unregistered(timestamp: since * 1000))
            default: return .delay(delay, then: .accept)
            }
        }
        var script = SimulatorScript(perDevice: perDevice)
        script.onAccepted = { taken.add($0) }
        return script
    }

    func atEnd(_ ending: @escaping @Sendable () -> Void) {
        endings.withLock { $0.append(ending) }
        // Everything may have been ended meanwhile.
        if workshop.isEnding { ending() }
    }

    func killProcesses() {
        for process in processes.withLock({ $0 }) where process.exit == nil {
            process.signal(SIGCONT)
            process.end(SIGKILL)
        }
    }

    /// Ends what the round has started. May be called again, and from a signal's handler.
    func strike() {
        workshop.forget(self)
        // The comparison may retain this stage.
        comparison.withLock { $0 = nil }
        killProcesses()
        for ending in endings.withLock({ $0 }) { ending() }
        simulator.stop()
        // If dropping fails, the database stays until the cluster is removed.
        if cluster === workshop.cluster { try? cluster.dropDatabase(named: database) } else { cluster.stop() }
    }

    /// A random number below `count`, from the round's seed.
    func draw(_ count: Int) -> Int { Int(random.withLock { $0.next() } % UInt64(count)) }

    func pick<Element>(_ elements: [Element]) -> Element { elements[draw(elements.count)] }

    // MARK: Daemons

    /// The environment of a daemon of this round. A busy machine, or one that stands still, ends no wait (`patience`).
    func environment(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "APNS_TEAM_ID": Workshop.teamID, "APNS_KEY_ID": Workshop.keyID,
            "APNS_PRIVATE_KEY_FILE": "\(workshop.folder)/key.p8", "APNS_BUNDLE_ID": Workshop.topic,
            "APNS_ENVIRONMENT": "sandbox", "APNS_ENDPOINT": simulator.endpoint,
            "APNS_CA_FILE": "\(workshop.folder)/ca.pem", "APNS_MAX_IN_FLIGHT": "\(round.scenery.inFlight)",
            "SCHEDULE_INTERVAL": "100ms", "SCHEDULE_BATCH": "\(round.scenery.batch)", "LOG_LEVEL": "info",
            "DATABASE_URL": cluster.url(database: database),
            "SWIFT_BACKTRACE": "enable=no", "POLICY_SPREAD_MINUTES": "0", "POLICY_QUIET_END_JITTER_MINUTES": "0",
        ].merging(Self.patience) { $1 }.merging(round.scenery.environment) { $1 }.merging(changes) { $1 }
    }

    /// Longer than any standstill. Despite the long lease, members notice each other soon.
    static let patience = [
        "APNS_RESPONSE_TIMEOUT": "120s", "SCHEDULE_LEASE": "600s", "DATABASE_STATEMENT_TIMEOUT": "120s",
        "NUDGED_RENEWAL": "300",
    ]

    /// Starts `nudged`. A wrapper such as `strace` needs `-D`, so that the process is the daemon itself.
    func start(
        _ arguments: [String],
        _ changes: [String: String] = [:],
        wrapper: [String] = [],
        binary: String? = nil
    ) throws -> ChildProcess {
        let process = try spawn(wrapper + [binary ?? workshop.binary] + arguments, environment: environment(changes))
        started.withLock { $0.append(process) }
        return process
    }

    var daemons: [ChildProcess] { started.withLock { $0 } }

    func spawn(_ arguments: [String], environment: [String: String]? = nil) throws -> ChildProcess {
        let process = try ChildProcess(arguments, environment: environment, output: .captured, error: .captured)
        processes.withLock { $0.append(process) }
        // It may have been started while everything was being ended.
        if workshop.isEnding { process.signal(SIGKILL) }
        return process
    }

    func service(_ changes: [String: String] = [:], wrapper: [String] = []) throws -> ChildProcess {
        try start(["run"], changes, wrapper: wrapper)
    }

    /// Starts a daemon, and waits for so many accepted pushes.
    func service(_ changes: [String: String] = [:], accepting count: Int) async throws -> ChildProcess {
        let process = try service(changes)
        try await awaitAccepted(count, by: process)
        return process
    }

    func startOnce(_ changes: [String: String] = [:], wrapper: [String] = []) throws -> ChildProcess {
        try start(["run", "--once", "--json"], changes, wrapper: wrapper)
    }

    @discardableResult
    func finish(_ process: ChildProcess) async throws -> ChildProcess.Exit {
        try await onOwnThread {
            if let exit = process.wait(Self.net) { return exit }
            process.signal(SIGCONT)
            process.end(SIGKILL)
            throw FaultError("waited \(Self.net) for the end of a process: \(process.errorOutput.suffix(1500))")
        }
    }

    func ends(_ process: ChildProcess, by code: Int32, _ what: String = "a command") async throws {
        let exit = try await finish(process)
        if exit != .code(code) { fail("\(what) ended by \(exit): \(process.errorOutput.suffix(500))") }
    }

    /// Ends a daemon by SIGTERM. Fails unless its exit code is 0 and it took at most 30 s of machine time.
    func stop(_ process: ChildProcess) async throws {
        let begin = Moment.now
        process.signal(SIGTERM)
        let exit = try await finish(process)
        if begin.elapsed > 30_000 { fail("the stop took \(begin.elapsed) ms") }
        if exit != .code(0) { fail("SIGTERM ended the daemon by \(exit): \(process.errorOutput.suffix(1500))") }
    }

    func serveAll(_ daemons: [ChildProcess]) async throws {
        try await awaitIdle()
        for daemon in daemons { try await stop(daemon) }
    }

    /// Measures how long after `moment` the work goes on, and stops the daemon when it has nothing left to do.
    func recover(_ daemon: ChildProcess, since moment: Moment = .now, within limit: Duration? = nil) async throws {
        try await measureRecovery(since: moment, within: limit)
        try await serveAll([daemon])
    }

    // MARK: Notes

    /// Replaces the usual comparison, if the policy's clock is not the host's or the script has data of its own.
    func compare(by check: @escaping Comparison) { comparison.withLock { $0 = check } }

    func fail(_ text: String) { result.withLock { $0.failures.append(text) } }

    func note(_ text: String) { result.withLock { $0.notes.append(text) } }

    func allow(_ change: @Sendable (inout Allowance) -> Void) { result.withLock { change(&$0.allowance) } }

    /// Notes a recovery time: usually from the fault's end to the next push. The longest counts.
    func recovered(after milliseconds: Int64) { result.withLock { $0.recovery = max($0.recovery ?? 0, milliseconds) } }
}
