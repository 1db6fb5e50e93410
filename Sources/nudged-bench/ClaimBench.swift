import ArgumentParser
import Glibc
import Postgres

/// `nudged-bench claim`: several daemons claim and settle everyone who is due, by each method in turn, medians of the rounds.
struct ClaimBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Users a second claimed and settled, by SKIP LOCKED and in two steps."
    )

    @Option(help: "Users who are due.") var users = 200_000
    @Option(help: "Daemons that claim side by side, with connections of their own.") var daemons = 4
    @Option(help: "Users a claim.") var batch = 1000
    @Option(help: "Rounds of each method, one after the other in turn.") var rounds = 5
    @Option(help: "skip-locked or two-step; without it both, side by side.") var claim: String?

    func run() async throws {
        let methods = try claim.map { text in
            guard let method = ClaimWorker.Method(rawValue: text) else { throw ValidationError("--claim \(text)?") }
            return [method]
        }
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users, due: true)
        var rates: [ClaimWorker.Method: [Double]] = [:]
        for _ in 0..<rounds {
            for method in methods ?? ClaimWorker.Method.allCases {
                rates[method, default: []].append(try await round(bench, method))
            }
        }
        let medians = rates.mapValues { $0.sorted()[$0.count / 2] }
        var fields = [#""users":\#(users)"#, #""daemons":\#(daemons)"#, #""rounds":\#(rounds)"#]
        for method in ClaimWorker.Method.allCases {
            guard let median = medians[method] else { continue }
            let name = method.rawValue.split(separator: "-").joined(separator: "_")
            fields.append(#""\#(name)_users_per_second":\#(median.text(0))"#)
        }
        if let skip = medians[.skipLocked], let two = medians[.twoStep] {
            fields.append(#""two_step_of_skip_locked":\#((two / skip).text(3))"#)
        }
        print("{" + fields.joined(separator: ",") + "}")
    }

    /// Everyone due, each method with the one index that it needs.
    private func round(_ bench: Workbench, _ method: ClaimWorker.Method) async throws -> Double {
        let index =
            switch method {
            case .skipLocked: "create index person_due on nudged.person (due_at, user_id)"
            case .twoStep: "create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id)"
            }
        _ = try bench.psql(
            """
            truncate nudged.person;
            drop index if exists nudged.person_due;
            \(index);
            insert into nudged.person (user_id, due_at)
            select user_id, date_trunc('second', now()) - (random() * 600)::integer * interval '1 second' from nudged.recipient
            """
        )
        _ = try bench.psql("vacuum analyze nudged.person")
        _ = try bench.psql("checkpoint")
        let workers = (0..<daemons).map { _ in ClaimWorker(method, batch: batch, bench.connection) }
        for worker in workers { try await worker.open() }
        let start = monotonicSeconds()
        let settled = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in workers { group.addTask { try await worker.work() } }
            return try await group.reduce(0, +)
        }
        let seconds = monotonicSeconds() - start
        for worker in workers { await worker.close() }
        guard settled == users else { throw ValidationError("\(settled) of \(users) users were settled") }
        return Double(users) / seconds
    }
}
