import LocalPostgres
import Postgres
import Seeded

extension Fault {
    static let refusals = Fault(name: "database-refuses") { plan in
        let refusal = DatabaseRefusal(milliseconds: plan.pick(quick: 1500, full: 4000))
        // Slow answers, so that there is work left when the refusals begin.
        let scenery = Scenery(answers: 40...160, inFlight: 10, batch: 20)
        func round(_ name: String, _ play: @escaping Round.Script) -> Round {
            plan.round(name, users: plan.pick(quick: 200, full: 300), scenery: scenery, play: play)
        }
        let states = ["40001", "40P01", "53100", "53200", "53300", "55P03", "57014", "57P01", "25006", "XX000"]
        let tables = ["nudged.delivery", "nudged.intent", "nudged.person"]
        let injected = states.prefix(plan.pick(quick: 2, full: 10)).flatMap { state in
            tables.prefix(plan.pick(quick: 2, full: 3)).map { table in
                round("\(state) on \(table)") { try await refusal.inject(state, table, $0) }
            }
        }
        return injected + [
            round("read-only") { try await refusal.readOnly($0) },
            round("no connections left") { try await refusal.noConnections($0) },
            round("lock time-out") { try await refusal.locked("nudged.delivery", lockTimeout: true, $0) },
            round("statement time-out") { try await refusal.locked("nudged.person", lockTimeout: false, $0) },
            round("intent refused") { try await refusal.intentRefused($0) },
        ]
    }
}

struct DatabaseRefusal: Sendable {
    let milliseconds: Int64

    /// Two of five statements on a table fail with this state, all the time.
    func inject(_ state: String, _ table: String, _ stage: Stage) async throws {
        try await stage.refuse(table, on: table == "nudged.person" ? "update" : "insert", state: state, share: 40)
        let process = try stage.service()
        // A user who is refused alone again and again waits longer each time.
        try await stage.awaitIdle()
        if try await stage.asked(table) < 2 { stage.fail("no statement on \(table) was refused and tried again") }
        try await stage.relent(table)
        try await stage.stop(process)
    }

    func readOnly(_ stage: Stage) async throws {
        try await during(stage) { isOn in
            try await stage.admin("alter database \"\(stage.database)\" set default_transaction_read_only = \(isOn)")
            try await stage.endSessions()
        }
    }

    /// The daemon uses another role, because the limit doesn't apply to a superuser.
    func noConnections(_ stage: Stage) async throws {
        let role = "app_\(stage.database)"
        try await stage.sql(
            """
            create role \(role) login bypassrls;
            grant usage on schema nudged, public to \(role);
            grant all on all tables in schema nudged, public to \(role);
            grant execute on all functions in schema nudged to \(role);
            """
        )
        let url = stage.cluster.url(database: stage.database, user: role)
        try await during(stage, ["DATABASE_URL": url]) { isOn in
            try await stage.admin("alter role \(role) connection limit \(isOn ? 0 : -1)")
            try await stage.endSessions()
        }
        try await stage.sql("drop owned by \(role)")
        try await stage.admin("drop role \(role)")
    }

    /// Another session locks a table for longer than a statement may take or may wait.
    func locked(_ table: String, lockTimeout: Bool, _ stage: Stage) async throws {
        let holder = try await stage.connect()
        let limit: [String: String] = lockTimeout ? [:] : ["DATABASE_STATEMENT_TIMEOUT": "500ms"]
        let process = try await stage.service(limit, accepting: 10)
        if lockTimeout {
            try await stage.admin("alter database \"\(stage.database)\" set lock_timeout = '50ms'")
            try await stage.endSessions()
        }
        _ = try await holder.transaction(
            [
                Statement("lock", sql: "lock table \(table) in access exclusive mode"),
                Statement("hold", sql: "select pg_sleep(\(Double(milliseconds) / 1000))"),
            ],
            timeout: Stage.net
        )
        let end = Moment.now
        await holder.close()
        try await stage.measureRecovery(since: end, within: .seconds(5))
        try await stage.awaitIdle()
        if lockTimeout {
            // The comparison's last run must not be refused.
            try await stage.admin("alter database \"\(stage.database)\" reset lock_timeout")
        }
        try await stage.stop(process)
    }

    /// Intents are refused for a while. In that time no new push reaches Apple.
    func intentRefused(_ stage: Stage) async throws {
        let process = try await stage.service(accepting: 10)
        try await stage.refuse("nudged.intent", on: "insert", state: "53100", share: 100)
        // Pushes of earlier intents may still be sent.
        try await stage.wait(for: "the earlier intents to be settled", Stage.openRows)
        let before = stage.taken.count
        let refusals = try await stage.asked("nudged.intent") + 5
        try await stage.wait(for: "intents to be refused") { try await stage.asked("nudged.intent") >= refusals }
        if stage.taken.count != before {
            stage.fail("\(stage.taken.count - before) pushes were sent without an intent")
        }
        try await stage.relent("nudged.intent")
        try await stage.recover(process, within: .seconds(10))
    }

    private func during(
        _ stage: Stage,
        _ environment: [String: String] = [:],
        turn: (_ isOn: Bool) async throws -> Void
    ) async throws {
        let process = try await stage.service(environment, accepting: 10)
        try await turn(true)
        try await Task.sleep(for: .milliseconds(milliseconds))
        let before = Moment.now
        try await turn(false)
        try await stage.measureRecovery(since: before, within: .seconds(8))
        try await stage.serveAll([process])
    }
}
