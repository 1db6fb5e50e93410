import Glibc
import LocalPostgres
import Postgres

extension Fault {
    static let severalDaemons = Fault(name: "several-daemons") { plan in
        // Slow answers, so that each daemon starts while there is work.
        let (counts, users) = (plan.pick(quick: [4], full: [2, 4]), plan.pick(quick: 800, full: 2000))
        return plan.rounds(of: counts, full: 2, users: users, scenery: slow) { stage, count in
            let daemons = try (1...count).map { _ in try stage.service() }
            try await stage.serveAll(daemons)
            let shares = daemons.map { sent($0) }
            if shares.contains(0) { stage.fail("the work was not shared: \(shares)") }
            try await stage.expectNoDeadlocks()
            stage.note("shares \(shares.map(String.init).joined(separator: ", "))")
        }
    }

    static func sent(_ daemon: ChildProcess) -> Int {
        daemon.errorOutput.split(separator: "\n").reduce(0) { sum, line in
            guard let start = line.firstRange(of: "sweep: sent ") else { return sum }
            return sum + (Int(line[start.upperBound...].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber)) ?? 0)
        }
    }

    /// One daemon is stopped past its lease and resumed: with pushes in flight, or with an intent and nothing written.
    static let lateDaemon = Fault(name: "stopped-past-its-lease") { plan in
        let scenery = Scenery(answers: 300...600, inFlight: 40)
        let moments = ["in flight", "before the first byte"]
        return plan.rounds(of: moments, full: 4, users: 250, scenery: scenery) { stage, moment in
            try await oversleep(stage, writes: moment == "in flight")
        }
    }

    private static func oversleep(_ stage: Stage, writes: Bool) async throws {
        let gate = stage.folder + "/gate"
        // Only the late daemon's lease is short, and ends by its own time: the daemon must notice by its own clock.
        var changes = ["APNS_RESPONSE_TIMEOUT": "4s", "SCHEDULE_LEASE": "9s"]
        if !writes { changes["NUDGED_FAIL_POINT"] = "after_intent:hold:\(gate)" }
        let late = try stage.service(changes)
        if writes {
            try await stage.awaitAccepted(10, by: late)
        } else {
            try await stage.wait(for: "the fail point") { exists(gate + ".held") }
        }
        late.signal(SIGSTOP)
        let stopped = stage.now
        try await stage.awaitPerformed(late)
        let open = try await stage.openIntents()
        if open.isEmpty { stage.fail("it was stopped without an open intent: the round tests nothing") }
        stage.allow { $0.openAtKill.formUnion(open) }
        let others = [try stage.service(), try stage.service()]
        try await stage.awaitIdle()
        stage.recovered(after: stage.now - stopped)
        let woken = stage.now
        if !writes { try TextFile.write(gate, "") }
        late.signal(SIGCONT)
        try await stage.awaitLine("came after the lease had ended", of: late)
        try await stage.serveAll([late] + others)
        // Only its own pushes count. The other daemons may send later ones.
        let after = stage.taken.all.count { $0.at > woken && open.contains($0.apnsID) }
        if after > 0 { stage.fail("\(after) pushes after it woke, \(woken - stopped) ms after it was stopped") }
        let fenced = late.errorOutput.split(separator: "\n").count { $0.contains("came after the lease had ended") }
        stage.note("\(open.count) pushes open, \(fenced) settlements fenced off, 0 pushes after it woke")
    }
}

extension Fault {
    static let intentWidth = Fault(name: "intent-width") { plan in
        let widths = plan.pick(quick: [10, 100], full: [1, 10, 100, 1000])
        return widths.map { width in
            let scenery = Scenery(answers: 10...80, inFlight: width, batch: 500)
            let users = width == 1 ? 60 : plan.pick(quick: 500, full: 4000)
            return plan.round("width \(width)", users: users, scenery: scenery) { stage in
                let watcher = try await stage.connect()
                let process = try stage.service()
                var (most, samples) = (0, 0)
                // As often as the server answers.
                repeat {
                    for _ in 0..<200 {
                        let open = try await watcher.rows("select count(*) from \(Stage.openUsers)")
                        most = max(most, Int(try open.int8(0, 0)))
                        samples += 1
                    }
                } while try await !stage.isIdle() || stage.taken.count == 0
                await watcher.close()
                if most > width { stage.fail("\(most) pushes in open intents, \(width) allowed") }
                stage.note("at most \(most) of \(width) in \(samples) samples")
                try await stage.wait(for: "a running daemon to close its intents", Stage.openRows)
                try await stage.stop(process)
            }
        }
    }
}
