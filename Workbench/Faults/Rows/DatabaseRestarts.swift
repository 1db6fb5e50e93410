import Glibc
import LocalPostgres
import Seeded
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
            let impatience = ["APNS_RESPONSE_TIMEOUT": "4s", "SCHEDULE_LEASE": "9s"]
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
        try await stage.measureRecovery(since: end, within: .seconds(5))
        try await stage.serveAll([process])
    }
}
