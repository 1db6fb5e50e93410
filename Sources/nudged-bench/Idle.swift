import ArgumentParser
import Glibc
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged-bench idle`: what a sweep costs when nobody is due.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What a sweep with nothing due costs the database.")

    @Option(help: "Users who exist, none of them due.") var users = 1_000_000
    @Option(help: "Sweeps to measure.") var sweeps = 200

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users, due: false)
        let store = Store(configuration: bench.connection)
        var times: [Double] = []
        try await sweep(store)
        let before = ProcessUsage.now()
        for _ in 0..<sweeps {
            let start = monotonicSeconds()
            try await sweep(store)
            times.append(monotonicSeconds() - start)
        }
        let after = ProcessUsage.now()
        await store.close()
        times.sort()
        // One sweep a second is the default, so the processor time of a sweep is the share of a core.
        let percent = ((after.seconds - before.seconds) / Double(sweeps) * 100).text(3)
        print(
            #"{"users":\#(users),"database_ms":\#((times[times.count / 2] * 1000).text(3)),"#
                + #""database_ms_worst":\#(((times.last ?? 0) * 1000).text(3)),"cpu_percent":\#(percent)}"#
        )
    }

    /// The statements of `Sweeper.sweep` with nothing due: all the time between question and answer is counted as the database's.
    private func sweep(_ store: Store) async throws {
        let now = Instant(seconds: try await store.clock() / 1_000_000)
        _ = try await store.drain(limit: 5000, now: now)
        _ = try await store.recover(except: [], limit: 100)
        let users = try await store.claim(
            now: now,
            after: .start,
            limit: 1000,
            leaseID: UUID(),
            leaseMilliseconds: 30_000
        )
        guard users.isEmpty else { throw ValidationError("\(users.count) users were due") }
    }
}
