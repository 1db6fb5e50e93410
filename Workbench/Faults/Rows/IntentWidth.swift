import LocalPostgres
import Postgres

extension Fault {
    /// Promise 3, measured: open intents are never more than `apns.maxInFlight`, and a living daemon leaves none.
    static let intentWidth = Fault("intent-width", row: "intent at the width of the wire (promise 3)") { plan in
        let widths = plan.pick(test: [20], quick: [10, 100], full: [1, 10, 100, 1000])
        return widths.map { width in
            var scenery = Scenery()
            scenery.answerMilliseconds = 10...80
            // Time for a thousand answers on a machine that does other work: one that is late is unknown, and this is no row of late answers.
            scenery.environment = [
                "APNS_MAX_IN_FLIGHT": "\(width)", "SCHEDULE_BATCH": "500", "APNS_RESPONSE_TIMEOUT": "20s",
                "SCHEDULE_LEASE": "60s",
            ]
            let users = width == 1 ? 60 : plan.pick(test: 200, quick: 500, full: 4000)
            return plan.round("width \(width)", users: users, scenery: scenery) { stage, _ in
                let watcher = try await stage.connect()
                let process = try stage.service()
                let sampling = Task {
                    try await Self.sample(watcher, until: { try await stage.isIdle() && stage.acceptedCount > 0 })
                }
                let (most, samples) = try await sampling.value
                await watcher.close()
                if most > width { stage.fail("\(most) pushes in open intents, \(width) allowed") }
                stage.note("\(most) of \(width) in \(samples) samples")
                let left = try await stage.number("select count(*) from nudged.intent where user_ids <> '{}'")
                if left != 0 { stage.fail("a living daemon left \(left) intents") }
                try await stage.stop(process)
            }
        }
    }

    /// As often as the server answers: the most pushes in open intents that were seen, and how often it was looked.
    private static func sample(_ connection: Connection, until isDone: () async throws -> Bool) async throws -> (
        Int, Int
    ) {
        let statement = Statement(
            "width",
            sql: "select count(*) from nudged.intent, unnest(user_ids) u where u <> all (settled)"
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
