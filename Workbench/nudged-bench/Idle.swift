import ArgumentParser
import Glibc
import Postgres

/// `nudged-bench idle`: what a sweep costs when nobody is due, and how long a message then takes.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What a sweep with nothing due costs the database.")

    @Option(help: "Users who exist, none of them due.") var users = 1_000_000
    @Option(help: "Sweeps to measure.") var sweeps = 200
    @Option(help: "Users who were just served: as many dead entries at the head of the queue's index, 0 for none.")
    var burst = 0
    @Option(help: "Messages that are sent to an idle daemon, one after the other; 0: none, and no daemon.")
    var messages = 0
    @Option(help: "The daemon's schedule.interval in milliseconds.") var interval = 1000
    @Option(help: "The binary that is the daemon: one of this build.") var nudged = Idle.neighbour

    func run() async throws {
        // Without standbys, so that what is made in one transaction is not written twice.
        let bench = try Workbench(settings: ["wal_level": "minimal", "max_wal_senders": "0"])
        defer { bench.stop() }
        try await bench.migrate()
        try bench.seedQueue(users: users)
        let daemon = try await IdleDaemon(bench.connection)
        let quiet = try await measure { try await daemon.sweep() }
        let renewal = try await measure { try await daemon.renew() }
        var text =
            #"{"users":\#(users),"database_ms":\#(quiet.median.text(3)),"database_ms_worst":\#(quiet.worst.text(3)),"#
            + #""cpu_percent":\#(quiet.percent.text(3)),"renew_ms":\#(renewal.median.text(3))"#
        if burst > 0 {
            // An old snapshot keeps the dead entries: with it nobody may clean them up, without it the first reader marks them.
            let holder = try bench.holdSnapshot()
            try bench.psql(Self.serve(burst), within: .seconds(3600))
            // Seconds each, where the burst was large.
            let held = try await measure(times: min(sweeps, 20)) { try await daemon.sweep() }
            try bench.releaseSnapshot(holder)
            let first = try await measure { try await daemon.sweep() }
            text +=
                #","burst":\#(burst),"held_ms":\#(held.median.text(3)),"held_ms_worst":\#(held.worst.text(3)),"#
                + #""after_ms":\#(first.median.text(3)),"after_ms_worst":\#(first.worst.text(3))"#
        }
        await daemon.leave()
        if messages > 0 {
            text += "," + (try await IdleLatency(bench, nudged, messages: messages, interval: interval).measure())
        }
        print(text + "}")
    }

    /// Beside this program.
    private static var neighbour: String {
        CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast().map { $0 + "/" }
            .joined() + "nudged"
    }

    /// Due, and served: the queue's first entries are dead.
    private static func serve(_ users: Int) -> String {
        """
        create temporary table served as select user_id from nudged.person limit \(users);
        update nudged.person p set due_at = now() - interval '1 second' from served s where p.user_id = s.user_id;
        update nudged.person p set due_at = now() + interval '1 day' from served s where p.user_id = s.user_id;
        """
    }

    /// Milliseconds of a sweep, and the share of a core at one sweep a second (the default).
    private struct Cost {
        let median: Double
        let worst: Double
        let percent: Double
    }

    private func measure(times given: Int? = nil, _ work: () async throws -> Void) async throws -> Cost {
        let count = given ?? sweeps
        var times: [Double] = []
        let before = ProcessUsage.now()
        for _ in 0..<count {
            let start = monotonicSeconds()
            try await work()
            times.append((monotonicSeconds() - start) * 1000)
        }
        let seconds = ProcessUsage.now().seconds - before.seconds
        return Cost(
            median: median(times),
            worst: times.max() ?? 0,
            percent: seconds / Double(count) * 100
        )
    }
}
