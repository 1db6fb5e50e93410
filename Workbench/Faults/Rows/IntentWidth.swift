import LocalPostgres
import Postgres

extension Fault {
    /// Measures promise 3: open intents never have more pushes than `apns.maxInFlight`, and a daemon that runs leaves
    /// none.
    static let intentWidth = Fault("intent-width", row: "at most apns.maxInFlight open pushes (promise 3)") { plan in
        let widths = plan.pick(quick: [10, 100], full: [1, 10, 100, 1000])
        return widths.map { width in
            var scenery = Scenery()
            scenery.answerMilliseconds = 10...80
            scenery.environment = ["APNS_MAX_IN_FLIGHT": "\(width)", "SCHEDULE_BATCH": "500"]
            let users = width == 1 ? 60 : plan.pick(quick: 500, full: 4000)
            return plan.round("width \(width)", users: users, scenery: scenery) { stage, _ in
                let watcher = try await stage.connect()
                let process = try stage.service()
                let sampling = Task {
                    try await Self.sample(watcher, until: { try await stage.isIdle() && stage.acceptedCount > 0 })
                }
                let (most, samples) = try await sampling.value
                await watcher.close()
                if most > width { stage.fail("\(most) pushes in open intents, \(width) allowed") }
                stage.note("at most \(most) of \(width) in \(samples) samples")
                try await stage.wait(for: "a running daemon to close its intents") {
                    try await stage.number("select count(*) from nudged.intent where user_ids <> '{}'") == 0
                }
                try await stage.stop(process)
            }
        }
    }

    /// Counts open pushes as often as the server answers. Returns the most that it saw, and the number of samples.
    private static func sample(_ connection: Connection, until isDone: () async throws -> Bool) async throws -> (
        Int, Int
    ) {
        let statement = Statement(
            "width",
            sql: "select count(*) from \(Stage.openUsers)"
        )
        var (most, samples) = (0, 0)
        while true {
            for _ in 0..<200 {
                most = max(most, Int(try await connection.run(statement).int8(0, 0)))
                samples += 1
            }
            if try await isDone() { return (most, samples) }
        }
    }
}
