import ArgumentParser
import Core
import LocalPostgres
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged-bench idle`: the cost of a sweep when nobody is due, and the latency of a message then.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures what a sweep costs when nobody is due.")

    @Option(help: "How many users there are. None is due.") var users = 1_000_000
    @Option(help: "How many sweeps to measure.") var sweeps = 200
    @Option(help: "Messages to send to an idle daemon, one after the other; 0 starts no daemon.")
    var messages = 0

    func run() async throws {
        // Without standbys, so that data made in one transaction needs no write-ahead log.
        let bench = try Workbench(settings: ["wal_level": "minimal", "max_wal_senders": "0"])
        defer { bench.stop() }
        try await bench.seed(users: 0)
        try bench.seedQueue(users: users)
        let daemon = try await IdleDaemon(bench.connection)
        let quiet = try await measure { try await daemon.sweep() }
        let renewal = try await measure { try await daemon.renew() }
        var text =
            #"{"users":\#(users),"database_ms":\#(quiet.median.text(3)),"database_ms_worst":\#(quiet.worst.text(3)),"#
            + #""cpu_percent":\#(quiet.percent.text(3)),"renew_ms":\#(renewal.median.text(3))"#
        await daemon.leave()
        if messages > 0 { text += try await "," + IdleLatency(bench: bench, messages: messages).measure() }
        print(text + "}")
    }

    private typealias Cost = (median: Double, worst: Double, percent: Double)

    /// Milliseconds per call, and the share of a core at one call per second (the default interval).
    private func measure(_ work: () async throws -> Void) async throws -> Cost {
        var times: [Double] = []
        let before = ProcessUsage.now()
        for _ in 0..<sweeps {
            let start = monotonicSeconds()
            try await work()
            times.append((monotonicSeconds() - start) * 1000)
        }
        let seconds = ProcessUsage.now().seconds - before.seconds
        return (median(times), times.max() ?? 0, seconds / Double(sweeps) * 100)
    }
}

/// A single member with nobody to send to.
struct IdleDaemon {
    private let store: Store
    private let member = UUID()
    private let ranges: [Int32]

    private static let leaseMilliseconds: Int64 = 30_000

    init(_ configuration: ConnectionConfiguration) async throws {
        store = Store(configuration: configuration)
        try await store.join(member, daemon: UUID(), leaseMilliseconds: Self.leaseMilliseconds)
        guard let membership = try await store.renew(member, leaseMilliseconds: Self.leaseMilliseconds),
            membership.free == 0
        else { throw ValidationError("a member alone has all ranges") }
        ranges = membership.ranges
    }

    /// The statements of `Claimer.sweep` when nobody is due. The time to the answer counts as the database's.
    func sweep() async throws {
        let look = try await store.look()
        let now = Instant(seconds: look.clock / 1_000_000)
        guard !look.isFanOutDue, !look.isAnyoneTouched, !look.isAnyIntentLost else {
            throw ValidationError("something waits")
        }
        let claim = try await store.claim(ranges: ranges, now: now, limit: 1000)
        guard claim.users.isEmpty else { throw ValidationError("\(claim.users.count) users were due") }
    }

    /// What the daemon does besides its sweeps, every sixth of a lease.
    func renew() async throws {
        _ = try await store.renew(member, leaseMilliseconds: Self.leaseMilliseconds)
        _ = try await store.endedMembers(except: member)
    }

    func leave() async {
        _ = try? await store.leave(member)
        await store.close()
    }
}

/// Measures how long a message takes from `nudged_api.send` (with its commit), at random instants, with an idle daemon.
///
/// Two times per message, by the database's clock. The first ends at the intent, after which the push is written. The
/// second ends at the row of the record, so it includes Apple's answer and the settlement.
struct IdleLatency {
    let bench: Workbench
    let messages: Int

    /// The daemon's schedule.interval in milliseconds.
    private static let interval = 1_000
    private static let patience = Duration.seconds(30)

    func measure() async throws -> String {
        let (_, endpoint) = try bench.startApple()
        try bench.sql(
            """
            insert into public.context_profiles (user_id, notification_preferences, timezone)
            values ('\(Self.user)', '{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}', 'UTC');
            insert into public.push_tokens (user_id, device_token) values ('\(Self.user)', repeat('ab', 32));
            create schema bench;
            create table bench.passed (place text, at timestamptz default clock_timestamp());
            create function bench.pass() returns trigger language plpgsql security definer as $$
            begin insert into bench.passed (place) values (tg_argv[0]); return null; end $$;
            create trigger passed after insert on nudged.intent for each row execute function bench.pass('intended');
            create trigger passed after insert on nudged.delivery for each row execute function bench.pass('recorded');
            """
        )
        let more = ["PATH": "/usr/bin:/bin", "SCHEDULE_INTERVAL": "\(Self.interval)ms"]
        let environment = bench.environment(endpoint).merging(more) { $1 }
        let daemon = try bench.spawn([Workbench.neighbour("nudged"), "run"], environment: environment)
        let connection = try await Connection.open(bench.connection)
        var passed: [String: [Double]] = ["intended": [], "recorded": []]
        // The first message opens the connections, and is not counted.
        for number in 0...messages {
            let times = try await send(connection, daemon)
            if number > 0 { for (place, time) in times { passed[place, default: []].append(time) } }
        }
        await connection.close()
        let words = passed.sorted { $0.key < $1.key }.map { place, times -> String in
            let sorted = times.sorted()
            let late = sorted.isEmpty ? 0 : sorted[(sorted.count - 1) * 99 / 100]
            return #""\#(place)_median_ms":\#(median(times).text(1)),"\#(place)_p99_ms":\#(late.text(1)),"#
                + #""\#(place)_max_ms":\#((sorted.last ?? 0).text(1))"#
        }
        return #""interval_ms":\#(Self.interval),"messages":\#(messages),"# + words.joined(separator: ",")
    }

    private func send(_ connection: Connection, _ daemon: ChildProcess) async throws -> [String: Double] {
        // A random pause, so that the last message is finished and the next one comes at any part of a tick.
        try await Task.sleep(for: .milliseconds(Int.random(in: Self.interval / 10...Self.interval * 2)))
        _ = try await connection.run(Statement("forget", sql: "delete from bench.passed"))
        // The time before the commit, so that the commit is included.
        let sql = "select (nudged_api.send('\(Self.user)', 'Ann', 'Hello')).id is not null, clock_timestamp()"
        let sent = try await connection.run(Statement("send", sql: sql)).timestamp(0, 1)
        let end = ContinuousClock.now + Self.patience
        let question = Statement("passed", sql: "select place, min(at) from bench.passed group by place")
        while true {
            let rows = try await connection.run(question)
            if rows.count == 2 {
                var times: [String: Double] = [:]
                for row in 0..<2 { times[try rows.text(row, 0)] = Double(try rows.timestamp(row, 1) - sent) / 1000 }
                return times
            }
            guard ContinuousClock.now < end, daemon.exit == nil else {
                throw ValidationError("a message did not arrive: \(daemon.errorOutput.suffix(2000))")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static let user = "00000000-0000-4000-8000-000000000001"
}
