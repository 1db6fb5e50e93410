import APNsSimulator
import Dispatch
import Glibc
import LocalPostgres
import Synchronization
import TestSupport
import Testing

/// The real parts together: a database of its own on one real PostgreSQL, a simulated Apple over real TLS, and the built `nudged` as a child process.
/// Every log line of every run is searched for what must never stand there.
final class Scene: TestDatabase, Sendable {
    static let password = "planted-database-password"
    static let title = "planted-title-text"
    static let body = "planted-body-text"
    static let keyID = "KEY1234567"
    static let teamID = "TEAM123456"
    static let topic = "com.example.app"
    static let cluster = Result {
        // Doctor wants autovacuum on. It looks at each of many databases, so it looks seldom.
        let seldom = ["autovacuum_naptime": "1h"]
        return try LocalCluster(LocalCluster.Options(maxConnections: 200, password: password, settings: seldom))
    }
    static let certificate = Result { try SimulatorCertificate() }
    /// Apple's answer to an attempt with a device's token; nil: it accepts.
    typealias Answers = @Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?

    private static let count = Atomic<Int>(0)
    /// Migrated by the command; its database is copied for each scene on the same cluster.
    private static let template = Task { try await Scene(cluster: cluster.get()) }

    let cluster: LocalCluster
    let database: String
    let folder: String
    let simulator: APNsSimulator
    let secrets: Mutex<[String]>
    /// Ended with the scene, whatever became of the test.
    private let processes = Mutex<[ChildProcess]>([])
    /// Processes that connect to the scene's own server.
    private let direct = Mutex<Set<Int32>>([])

    /// A migrated database, unless told otherwise, and a simulated Apple that accepts everything but what the script says.
    ///
    /// - Parameter options: of `create database`; nil: the cluster's own.
    init(
        migrated: Bool = true,
        cluster: LocalCluster? = nil,
        options: String? = nil,
        port: UInt16 = 0,
        starts: Bool = true,
        perDevice: Scene.Answers? = nil
    ) async throws {
        self.cluster = try cluster ?? Self.cluster.get()
        database = "i\(Self.count.add(1, ordering: .relaxed).newValue)"
        let isCopied = migrated && cluster == nil
        let source = isCopied ? try await Self.template.value.database : "template1"
        if let options {
            try self.cluster.sql("create database \"\(database)\" template template0 \(options)")
        } else {
            try self.cluster.createDatabase(named: database, template: source)
        }
        // ServerHost removes it with the cluster's folder, even if this process is killed.
        folder = "\(self.cluster.folder)/\(database)"
        try #require(mkdir(folder, 0o700) == 0)
        let certificate = try Self.certificate.get()
        simulator = try APNsSimulator(
            script: SimulatorScript(settings: Self.settings(), perDevice: perDevice),
            certificate: certificate.server,
            port: port
        )
        let key = certificate.providerKey.privateKey
        // The middle of the key's own text, and all that else must not be told.
        let middle = key.split(separator: "\n").filter { $0.count > 40 }.map(String.init)
        secrets = Mutex([Self.password, Self.title, Self.body] + middle)
        write(certificate.authority, to: "ca.pem")
        write(key, to: "key.p8")
        if starts { try simulator.start() }
        if migrated, !isCopied {
            let run = try await nudged(["migrate"])
            try #require(run.exit == .code(0), "\(run.text)")
            try writeText()
        }
    }

    /// The text of check-ins.
    func writeText() throws {
        try sql("insert into nudged.template (title, body) values ('\(Self.title)', '\(Self.body)')")
    }

    deinit {
        for process in processes.withLock({ $0 }) where process.exit == nil { process.signal(SIGKILL) }
        simulator.stop()
        _ = try? ChildProcess.run(["rm", "-rf", folder])
        // A cluster of the test's own ends with it, and might not answer any more.
        if cluster === (try? Self.cluster.get()) { try? cluster.dropDatabase(named: database) }
    }

    /// An Apple that knows this key.
    static func settings(key: String = keyID) throws -> SimulatorSettings {
        SimulatorSettings(keys: [try certificate.get().registered(keyID: key, teamID: teamID)])
    }

    /// From now on Apple accepts everything.
    func acceptAll() throws { try simulator.setScript(SimulatorScript(settings: Self.settings())) }

    // MARK: Files

    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o600) -> String {
        let path = "\(folder)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let bytes = Array(text.utf8)
        _ = Glibc.write(file, bytes, bytes.count)
        fchmod(file, mode)
        close(file)
        return path
    }

    /// What `nudged` is told by its environment; nil takes a variable away. On a loaded machine no answer is late, and no
    /// lease ends meanwhile.
    func environment(_ changes: [String: String?] = [:]) -> [String: String] {
        var all = [
            "PATH": "/usr/bin:/bin", "APNS_TEAM_ID": Self.teamID, "APNS_KEY_ID": Self.keyID,
            "APNS_PRIVATE_KEY_FILE": "\(folder)/key.p8", "APNS_BUNDLE_ID": Self.topic, "APNS_ENVIRONMENT": "sandbox",
            "APNS_ENDPOINT": simulator.endpoint, "APNS_CA_FILE": "\(folder)/ca.pem", "APNS_RESPONSE_TIMEOUT": "2m",
            "DATABASE_URL": cluster.tcpURL(database: database), "DATABASE_STATEMENT_TIMEOUT": "2m",
            "LOG_LEVEL": "trace",
            "SCHEDULE_LEASE": "5m", "NUDGED_RENEWAL": "300", "POLICY_SPREAD_MINUTES": "0",
            "POLICY_QUIET_END_JITTER_MINUTES": "0",
        ]
        for (name, value) in changes { all[name] = value }
        return all
    }

    // MARK: Runs

    /// A run that has ended.
    struct Run {
        let exit: ChildProcess.Exit?
        let output: String
        let errors: String
        /// The output with one space instead of each line end and run of spaces.
        var words: String { output.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        var text: String { "exit \(String(describing: exit)): \(output) \(errors.suffix(3000))" }

        /// A number of the JSON summary.
        func number(_ key: String) -> Int? {
            guard let range = output.firstRange(of: "\"\(key)\":") else { return nil }
            return Int(output[range.upperBound...].prefix { $0.isNumber })
        }

        /// Expects that it ended with this status, these numbers in the summary, and with these parts.
        @discardableResult
        func ends(
            _ code: Int32 = 0,
            _ numbers: [String: Int] = [:],
            output: String...,
            words: String...,
            errors: String...,
            at location: SourceLocation = #_sourceLocation
        ) -> Run {
            let isEnd = exit == .code(code) && numbers.allSatisfy { number($0.key) == $0.value }
            let isSaid = output.allSatisfy { self.output.contains($0) } && words.allSatisfy { self.words.contains($0) }
            let isWarned = errors.allSatisfy { self.errors.contains($0) }
            let wanted = "\(code) \(numbers) \(output + words + errors)"
            #expect(isEnd && isSaid && isWarned, "wanted \(wanted), but \(text)", sourceLocation: location)
            return self
        }
    }

    static let binary: String = {
        if let path = getenv("NUDGED_BINARY") { return String(cString: path) }
        // Beside the test bundle.
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/nudged"
    }()

    func start(_ arguments: [String], _ changes: [String: String?] = [:]) throws -> ChildProcess {
        let process = try ChildProcess(keeping: [Self.binary] + arguments, environment(changes))
        processes.withLock { $0.append(process) }
        // A pooler keeps its sessions.
        if changes["DATABASE_URL"] == nil { direct.withLock { _ = $0.insert(process.id) } }
        return process
    }

    /// A daemon that sweeps ten times a second.
    func startFast(_ more: [String: String?] = [:], with arguments: String...) throws -> ChildProcess {
        let fast: [String: String?] = ["SCHEDULE_INTERVAL": "100ms"]
        return try start(["run"] + arguments, fast.merging(more) { $1 })
    }

    @discardableResult
    func nudged(_ arguments: [String], _ changes: [String: String?] = [:], within limit: Duration = .seconds(600))
        async throws -> Run
    {
        try await finish(try start(arguments, changes), within: limit)
    }

    /// Waits for the end and searches all that it wrote for planted secrets.
    @discardableResult
    func finish(_ process: ChildProcess, within limit: Duration = .seconds(600)) async throws -> Run {
        // Never blocks a thread of the pool: the other tests' waits run there.
        let late = DispatchWorkItem { process.signal(SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1), execute: late)
        let exit = await process.ended()
        late.cancel()
        _ = process.wait(.seconds(5))
        let isDirect = direct.withLock { $0.contains(process.id) }
        if exit == .signal(SIGKILL), isDirect, processes.withLock({ $0.allSatisfy { $0.exit != nil } }) {
            try await awaitNoSessions()
        }
        let run = Run(exit: exit, output: process.output, errors: process.errorOutput)
        let all = run.output + run.errors
        for secret in secrets.withLock({ $0 }) where all.contains(secret) {
            Issue.record("a secret stands in the output: \(secret.prefix(24))…")
        }
        return run
    }

    /// Ends a daemon by SIGTERM, which must end it well.
    @discardableResult
    func stop(_ daemon: ChildProcess, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Run {
        daemon.signal(SIGTERM)
        return try await finish(daemon).ends(at: sourceLocation)
    }

    func stop(_ daemons: [ChildProcess], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for daemon in daemons { daemon.signal(SIGTERM) }
        for daemon in daemons { try await stop(daemon, sourceLocation: sourceLocation) }
    }

    /// `run --once --json`.
    func once(_ changes: [String: String?] = [:]) async throws -> Run {
        try await nudged(["run", "--once", "--json"], changes)
    }

    /// Gives an answer up soon, for tests of a silent Apple.
    static let impatient: [String: String?] = ["APNS_RESPONSE_TIMEOUT": "5s", "SCHEDULE_LEASE": "15s"]

    // MARK: The database

    @discardableResult
    func sql(_ text: String) throws -> String {
        let output = try cluster.sql(text, database: database)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    /// Waits until a query's one value is true, while the process lives.
    func wait(
        for condition: String,
        of process: ChildProcess? = nil,
        within time: Duration = .seconds(300),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isSo = try await eventually(within: time) { try process?.exit != nil || sql("select \(condition)") == "t" }
        let said = process?.errorOutput.suffix(2000) ?? ""
        try #require(process?.exit == nil, "it ended: \(condition); \(said)", sourceLocation: sourceLocation)
        try #require(isSo, "not within \(time): \(condition); \(said)", sourceLocation: sourceLocation)
    }

    /// Waits until the server has performed what killed daemons had sent.
    private func awaitNoSessions() async throws {
        let sessions =
            "select count(*) from pg_stat_activity where datname = '\(database)' and application_name <> 'superuser' and backend_type = 'client backend'"
        try #require(await eventually { try cluster.sql(sessions) == "0\n" })
    }

    static func token(_ user: Int, _ device: Int = 0) -> String {
        let digits = String(user * 16 + device, radix: 16)
        return "c0ffee" + String(repeating: "0", count: 58 - digits.count) + digits
    }

    static func user(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Opted in, due since five minutes ago whatever the time is, with so many devices each, registered long ago.
    func seedDue(_ users: Int, devices: Int = 1, registered: String = "2026-01-01") throws {
        try sql(
            """
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
            select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, jsonb_build_object(
                'check_ins_enabled', true, 'frequency', 'daily', 'timezone', 'UTC', 'quiet_hours_start', '00:00',
                'quiet_hours_end', '00:00', 'check_in_time', to_char((now() - interval '5 minutes') at time zone 'UTC', 'HH24:MI')
            ), true, null from generate_series(1, \(users)) n;
            insert into public.push_tokens (user_id, device_token, created_at, updated_at)
            select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'c0ffee' || lpad(to_hex(n * 16 + d), 58, '0'), '\(registered)', '\(registered)'
            from generate_series(1, \(users)) n, generate_series(0, \(devices - 1)) d;
            """
        )
        secrets.withLock { $0.append("c0ffee00000000") }
    }

    /// Ends every lease, as if its time had passed.
    /// A lease takes longer than the second in which a fast machine does all of this: two attempts are at two instants.
    func expireLeases() throws {
        try sql(
            """
            update nudged.lease set alive_until = now() - interval '1 second';
            update nudged.intent set attempted_at = attempted_at - interval '1 minute'
            """
        )
    }

    /// What Apple accepted, by token.
    func accepted() -> [String: Int] { simulator.accepted }
}

extension APNsSimulator {
    /// How often it accepted a push for a token.
    var accepted: [String: Int] { Dictionary(snapshot().accepted.map { ($0.token, 1) }, uniquingKeysWith: +) }

    /// How often it received a push for a token.
    var received: [String: Int] { Dictionary(snapshot().received.map { ($0.token, 1) }, uniquingKeysWith: +) }
}

extension String {
    /// How often it contains `part`.
    func occurrences(of part: String) -> Int { ranges(of: part).count }
}
