import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// Backends are terminated again and again.
    static let lostBackends = Fault("backends-terminated", row: "backend killed, hung server") { plan in
        let times = plan.pick(quick: 1, full: 6)
        var scenery = Scenery()
        scenery.answerMilliseconds = 20...120
        scenery.environment = ["APNS_MAX_IN_FLIGHT": "10", "SCHEDULE_BATCH": "30"]
        return (1...times).map { time in
            plan.round("terminated \(time)", users: 250, scenery: scenery) { stage, random in
                var random = random
                let process = try stage.service()
                _ = try await stage.awaitAccepted(5, by: process)
                for _ in 1...plan.pick(quick: 20, full: 60) {
                    try await stage.sql("select pg_terminate_backend(pid) from pg_stat_activity where \(Stage.others)")
                    try await Task.sleep(for: .milliseconds(Int64(random.next() % 200)))
                }
                try await stage.measureRecovery(since: stage.moment, within: .seconds(5))
                try await stage.awaitIdle()
                try await stage.stop(process)
            }
        }
    }

    /// The server or one backend hangs. Every call has its time-out, and systemd's watchdog is fed all the time.
    static let hungServer = Fault("server-hangs", row: "backend killed, hung server") { plan in
        var scenery = Scenery()
        scenery.ownCluster = [:]
        scenery.answerMilliseconds = 20...120
        scenery.environment = ["APNS_MAX_IN_FLIGHT": "40", "DATABASE_STATEMENT_TIMEOUT": "1s"]
        return (1...plan.pick(quick: 1, full: 3)).flatMap { time in
            ["all", "one"].map { kind in
                plan.round("\(kind) \(time)", users: 250, scenery: scenery) { stage, _ in
                    try await Self.hang(stage, all: kind == "all", seconds: plan.pick(quick: 6, full: 12))
                }
            }
        }
    }

    private static func hang(_ stage: Stage, all: Bool, seconds: Int64) async throws {
        let ear = try NotifyEar(stage.folder + "/notify")
        defer { ear.shut() }
        let process = try stage.service(["NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "4000000"])
        _ = try await stage.awaitAccepted(20, by: process)
        let backends = try await stage.lines("select pid from pg_stat_activity where \(Stage.others)").compactMap {
            Int32($0)
        }
        // A hung server still accepts connections (in its kernel), but answers nothing. It is resumed after a limited
        // time.
        let hung = all ? stage.cluster.serverProcesses() : Array(backends.prefix(1))
        let begin = stage.moment
        for id in hung { Glibc.kill(id, SIGSTOP) }
        try await Task.sleep(for: .seconds(seconds))
        for id in hung { Glibc.kill(id, SIGCONT) }
        let end = stage.moment
        if process.exit != nil { stage.fail("the daemon ended: \(process.errorOutput.suffix(1500))") }
        let fast = ear.longestFast(from: begin, to: end)
        if fast > 4000 { stage.fail("the watchdog was not fed for \(fast) ms") }
        stage.note("watchdog fed at least every \((fast + 999) / 1000) s")
        try await stage.measureRecovery(since: end, within: .seconds(5))
        try await stage.awaitIdle()
        try await stage.stop(process)
    }
}
