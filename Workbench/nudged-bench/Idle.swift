import ArgumentParser
import Core
import Glibc
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
        _ = try await store.declareDead(except: member)
    }

    func leave() async {
        _ = try? await store.leave(member)
        await store.close()
    }
}
