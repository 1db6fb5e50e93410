import ArgumentParser
import Base
import Configuration
import Core
import Glibc
import LocalPostgres
import Policy
import Postgres
import Service
import Systemd
import TimeZones

final class Workbench: Sendable {
    let cluster: LocalCluster
    let connection: ConnectionConfiguration
    let folder: String
    private let children = Mutex<[ChildProcess]>([])

    init(settings: [String: String] = [:]) throws {
        let own = ["shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "30min"]
        cluster = try LocalCluster(LocalCluster.Options(fsync: true, settings: own.merging(settings) { $1 }))
        try cluster.createDatabase(named: "bench")
        connection = try ConnectionConfiguration.parse(url: cluster.url(database: "bench"))
        folder = cluster.folder + "/apple"
        guard mkdir(folder, 0o700) == 0 else { throw ValidationError("can't make \(folder)") }
    }

    /// Makes the app's tables with `users` profiles in ten zones and one device each, then migrates like an operator.
    func seed(users: Int) async throws {
        try sql(LocalCluster.appTables)
        try sql(Self.population(users))
        let migrator = Migrator(configuration: connection)
        _ = try await migrator.migrate()
        await migrator.close()
        try sql("insert into nudged.template (title, body) values ('Hello again', 'How are you today?')")
        try sql("vacuum analyze")
        try sql("checkpoint")
    }

    @discardableResult
    func sql(_ sql: String, within time: Duration = .seconds(600)) throws -> String {
        try cluster.sql(sql, database: "bench", within: time)
    }

    func row(_ sql: String) throws -> [String] { try self.sql(sql).trimmed.split(separator: "|").map(String.init) }

    /// Starts a program, which ends with the bench.
    func spawn(_ arguments: [String], environment: [String: String]? = nil) throws -> ChildProcess {
        let child = try ChildProcess(arguments, environment: environment, output: .captured, error: .captured)
        children.withLock { $0.append(child) }
        return child
    }

    func stop() {
        for child in children.withLock({ $0 }) { child.end() }
        cluster.stop()
    }

    /// Slots ten minutes ago in each user's zone, and no quiet hours, so that every user can be sent to at any time.
    private static func population(_ users: Int) -> String {
        """
        with zone as (
            select name, row_number() over (order by name) - 1 as number,
                to_char(now() at time zone name - interval '10 minutes', 'HH24:MI') as slot
            from pg_timezone_names where name in (
                'Europe/Paris', 'Europe/London', 'America/New_York', 'America/Los_Angeles', 'Asia/Tokyo', 'Asia/Kolkata',
                'Australia/Sydney', 'America/Sao_Paulo', 'Africa/Lagos', 'Pacific/Auckland'
            )
        )
        insert into public.context_profiles (user_id, notification_preferences, timezone)
        select gen_random_uuid(), jsonb_build_object(
            'check_ins_enabled', true, 'frequency', 'daily', 'timezone', zone.name, 'check_in_time', zone.slot,
            'quiet_hours_start', '00:00', 'quiet_hours_end', '00:00'
        ), null
        from generate_series(1, \(users)) n join zone on zone.number = n % (select count(*) from zone);
        insert into public.push_tokens (user_id, device_token, created_at, updated_at)
        select user_id, encode(sha256(user_id::text::bytea), 'hex'), now() - interval '30 days', now() - interval '30 days'
        from public.context_profiles;
        """
    }

    /// Starts the simulated Apple as a process: a benchmark measures only the daemon.
    func startApple() throws -> (process: ChildProcess, endpoint: String) {
        let arguments = ["--folder", folder, "--port", "0", "--team", Apple.teamID, "--quiet"]
        let apple = try spawn([Self.neighbour("nudged-apple")] + arguments)
        guard apple.waitForOutput(.seconds(20), where: { $0.contains("\n") }),
            let endpoint = TextFile.read(folder + "/endpoint")
        else { throw ValidationError("the simulated Apple did not start: \(apple.errorOutput)") }
        return (apple, endpoint.replacing("\n", with: ""))
    }

    static func neighbour(_ name: String) -> String { CommandLine.arguments[0].replacing("nudged-bench", with: name) }

    func environment(_ endpoint: String) -> [String: String] {
        [
            "APNS_TEAM_ID": Apple.teamID, "APNS_KEY_ID": Apple.keyID, "APNS_BUNDLE_ID": Apple.topic,
            "APNS_PRIVATE_KEY": TextFile.read(folder + Apple.key) ?? "", "APNS_ENVIRONMENT": "sandbox",
            "APNS_ENDPOINT": endpoint, "APNS_CA_FILE": folder + "/ca.pem",
            "DATABASE_URL": cluster.url(database: "bench"), "POLICY_SPREAD_MINUTES": "0",
            "POLICY_QUIET_END_JITTER_MINUTES": "0",
        ]
    }

    func configuration(_ endpoint: String, _ changes: [String: String] = [:]) throws -> Configuration {
        try ConfigurationLoader.load(
            environment: environment(endpoint).merging(changes) { $1 },
            checks: .system,
            standardPath: "/nonexistent"
        ).configuration
    }

    /// Fills only the queue, in random order of ids, due a day from now or later. It is for benchmarks that only read
    /// the queue. Ten million rows take minutes, because the indexes are made afterwards.
    func seedQueue(users: Int) throws {
        let now = Instant(seconds: Int64(time(nil)))
        let checkIn = CheckIn(at: now, slot: LocalDate(days: Int32(now.seconds / 86_400)))
        let state = UserState(fingerprint: .max, history: History(checkIns: [checkIn], sent: [now]))
        let hex = state.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try sql(
            """
            begin;
            truncate nudged.person;
            alter table nudged.person drop constraint person_pkey;
            drop index nudged.person_due;
            insert into nudged.person (user_id, due_at, since, evaluated_at, state)
            select gen_random_uuid(), now() + interval '1 day' + n % 86400 * interval '1 second', now(), now(), '\\x\(hex)'
            from generate_series(1, \(users)) n;
            alter table nudged.person add constraint person_pkey primary key (user_id);
            create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id);
            commit;
            """,
            within: .seconds(3600)
        )
        try sql("vacuum (analyze) nudged.person", within: .seconds(3600))
        try sql("checkpoint", within: .seconds(3600))
    }

    /// Starts a session that holds a snapshot, like a long report. Rows that die from now on can't be removed.
    func holdSnapshot() throws {
        let holder = try spawn([
            "psql", "-XAtq", "-d", cluster.url(database: "bench"), "-c", "begin isolation level repeatable read",
            "-c", "select 1", "-c", "select pg_sleep(1000000)",
        ])
        guard holder.waitForOutput(.seconds(20), where: { $0.contains("1\n") }) else {
            throw ValidationError("the snapshot is not held: \(holder.errorOutput)")
        }
    }
}

/// What the simulated Apple is told, and what it tells.
enum Apple {
    static let (teamID, keyID, topic) = ("ABCDE12345", "SIMULATED0", "com.example.App")
    static let key = "/AuthKey_SIMULATED0.p8"
}

func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

/// The daemon's parts in this process. Like `nudged run` it sweeps every second, and it measures the time in sweeps.
final class BenchDaemon: Sendable {
    private let engine: Engine
    private let busy = Mutex(0.0)
    private let sweeping = Mutex<Task<Void, Never>?>(nil)

    init(_ configuration: Configuration) throws {
        engine = try Engine(
            try Assembly(configuration, zones: ZoneDatabase()),
            reporter: Reporter { _ in }
        )
        sweeping.withLock { task in
            // The task retains the daemon until `stop`.
            task = Task { [self] in
                while !Task.isCancelled {
                    let next = ContinuousClock.now + .seconds(1)
                    let start = monotonicSeconds()
                    try? await engine.pipeline.sweep()
                    let seconds = monotonicSeconds() - start
                    busy.withLock { $0 += seconds }
                    // Like the daemon's timer: ticks that a long sweep missed count as one.
                    try? await Task.sleep(until: next)
                }
            }
        }
    }

    var busySeconds: Double { busy.withLock { $0 } }

    func stop() async {
        let task = sweeping.withLock { $0 }
        task?.cancel()
        await engine.finish()
        await task?.value
    }
}

struct ProcessUsage {
    let seconds: Double
    /// The largest resident set so far, in KiB.
    let maxResidentKilobytes: Int

    static func now() -> ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return ProcessUsage(seconds: seconds, maxResidentKilobytes: usage.ru_maxrss)
    }

    /// Processor seconds (user and system) of another process and its children, including children that ended, from
    /// /proc/PID/stat (proc(5)).
    static func seconds(ofTree root: Int32) -> Double {
        let processes = ProcessTable.all().filter { $0.id == root || Int32($0.fields[1]) == root }
        // User and system time, then those of ended children.
        let ticks = processes.flatMap { $0.fields[11..<($0.id == root ? 15 : 13)] }.reduce(0) { $0 + (Int($1) ?? 0) }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

func monotonicSeconds() -> Double { Double(MonotonicTime.microseconds()) / 1e6 }

extension Double {
    func text(_ decimals: Int) -> String {
        let scale = pow(10, Double(decimals))
        let value = (self * scale).rounded() / scale
        return decimals == 0 ? "\(Int(value))" : "\(value)"
    }
}
