import Glibc
import LocalPostgres
import Postgres
import Synchronization

extension Fault {
    static let databaseRestarts = Fault(name: "database-restarts") { plan in
        let scenery = Scenery(ownCluster: [:], answers: 20...120, inFlight: 40)
        return plan.rounds(of: ["immediate", "crash"], full: 5, users: 300, scenery: scenery) { stage, kind in
            let process = try stage.service()
            for _ in 1...plan.pick(quick: 2, full: 3) {
                let more = stage.taken.count + 20 + stage.draw(40)
                guard try await stage.awaitAccepted(more, by: process) else { break }
                if kind == "crash" {
                    try await stage.cluster.crash()
                } else {
                    try await onOwnThread { stage.cluster.halt(.immediate) }
                }
                try await onOwnThread { try stage.cluster.start() }
                try await stage.measureRecovery(since: .now, within: .seconds(5))
            }
            try await stage.serveAll([process])
        }
    }

    static let databaseAway = Fault(name: "database-away-at-outcome") { plan in
        // Shorter and longer than the lease. The intents remain the living daemon's in both cases.
        let absences = plan.pick(quick: [500, 10_000], full: [100, 500, 2000, 5000, 7000, 10_000])
        // Beside another daemon, which must not declare the first one dead.
        let beside = plan.pick(quick: [13_000], full: [7000, 10_000, 13_000, 16_000, 20_000])
        return (absences.map { ($0, 1) } + beside.map { ($0, 2) }).map { absence, count in
            // Answers are held until the database is gone, so that no outcome is recorded before.
            // A lease is renewed so often that an ended one is waited for as long as in a release build.
            let impatience = ["APNS_RESPONSE_TIMEOUT": "4s", "SCHEDULE_LEASE": "9s", "NUDGED_RENEWAL": "4000"]
            var scenery = Scenery(ownCluster: [:], inFlight: 60, environment: impatience)
            // Three pushes pass, so that Apple allows more streams. The later ones are held until it is open.
            let gate = Mutex((count: 0, isOpen: false))
            scenery.perDevice = { _, _ in
                gate.withLock { gate in
                    gate.count += 1
                    return gate.count > 3 && !gate.isOpen ? .held(then: .accept) : nil
                }
            }
            return plan.round("away \(absence) ms, daemons \(count)", users: 100, scenery: scenery) { stage in
                let daemons = try (1...count).map { _ in try stage.service() }
                guard await stage.simulator.wait(until: { $0.held >= 20 }) else { throw FaultError("no push was held") }
                try await onOwnThread { stage.cluster.halt(.immediate) }
                let held = stage.taken.count + stage.simulator.counts.held
                gate.withLock { $0.isOpen = true }
                stage.simulator.release()
                try await Task.sleep(for: .milliseconds(min(absence / 2, 500)))
                // Releases a push that was just being held when the gate opened.
                stage.simulator.release()
                try await Task.sleep(for: .milliseconds(absence - min(absence / 2, 500)))
                try await onOwnThread { try stage.cluster.start() }
                let back = stage.now
                try await stage.wait(for: "the kept outcomes to be recorded") {
                    try await stage.number("select count(*) from nudged.delivery where outcome = 'accepted'") >= held
                }
                stage.recovered(after: stage.now - back)
                try await stage.serveAll(daemons)
            }
        }
    }

    static let lostBackends = Fault(name: "backends-terminated") { plan in
        let scenery = Scenery(answers: 20...120, inFlight: 10, batch: 30)
        return plan.rounds(quick: 1, full: 6, users: 250, scenery: scenery) { stage in
            let process = try await stage.service(accepting: 5)
            for _ in 1...plan.pick(quick: 20, full: 60) {
                try await stage.sql("select pg_terminate_backend(pid) from pg_stat_activity where \(Stage.others)")
                try await Task.sleep(for: .milliseconds(stage.draw(200)))
            }
            try await stage.recover(process, within: .seconds(5))
        }
    }

    static let hungServer = Fault(name: "server-hangs") { plan in
        let limit = ["DATABASE_STATEMENT_TIMEOUT": "1s"]
        let scenery = Scenery(ownCluster: [:], answers: 20...120, inFlight: 40, environment: limit)
        return plan.rounds(of: ["all", "one"], full: 3, users: 250, scenery: scenery) { stage, kind in
            try await hang(stage, all: kind == "all", seconds: plan.pick(quick: 6, full: 12))
        }
    }

    private static func hang(_ stage: Stage, all: Bool, seconds: Int64) async throws {
        let ear = try NotifyEar(stage.folder + "/notify")
        defer { ear.shut() }
        let process = try await stage.service(["NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "4000000"], accepting: 20)
        let pids = try await stage.lines("select pid from pg_stat_activity where \(Stage.others)")
        // A hung server still accepts connections (in its kernel), but answers nothing.
        let hung = all ? stage.cluster.serverProcesses() : pids.prefix(1).compactMap { Int32($0) }
        let begin = Moment.now
        for id in hung { Glibc.kill(id, SIGSTOP) }
        try await Task.sleep(for: .seconds(seconds))
        for id in hung { Glibc.kill(id, SIGCONT) }
        let end = Moment.now
        if process.exit != nil { stage.fail("the daemon ended: \(process.errorOutput.suffix(1500))") }
        let fast = ear.longestFast(from: begin, to: end)
        if fast > 4000 { stage.fail("the watchdog was not fed for \(fast) ms") }
        stage.note("watchdog fed at least every \((fast + 999) / 1000) s")
        try await stage.recover(process, since: end, within: .seconds(5))
    }

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
        try await stage.recover(process, since: before, within: .seconds(8))
    }
}
