import APNsSimulator
import Glibc
import LocalPostgres
import Synchronization
import Testing
import TestSupport

/// What the metrics of a real daemon say, beside the record, the journal and what was done to it.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct MetricsTests {
    private static let outcomes = ["accepted", "rejected", "deferred", "dropped", "skipped", "unknown"]

    private static func sweeps(_ page: ReadMetrics, _ result: String = "good") -> Double {
        page.value("nudged_sweeps_total", ["result": result]) ?? 0
    }

    /// Asks until the page is as wanted, and returns it; throws where that never is.
    private static func page(_ port: UInt16, of process: ChildProcess, until isWanted: (ReadMetrics) throws -> Bool)
        async throws -> ReadMetrics
    {
        var wanted: ReadMetrics?
        var last = "no page"
        _ = try await eventually {
            if let answer = LoopbackClient.scrape(port: port), let body = answer.firstRange(of: "\r\n\r\n") {
                try #require(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                last = String(answer[body.upperBound...])
                let page = try ReadMetrics(last)
                if try isWanted(page) { wanted = page }
            }
            return wanted != nil || process.exit != nil
        }
        return try #require(wanted, "\(process.errorOutput.suffix(3000)) \(last)")
    }

    /// The sweeps' lines in the log, each count added up.
    private static func journal(_ log: String, _ field: String) -> Int {
        log.split(separator: "\n").filter { $0.contains("sweep_id=") }.reduce(0) { sum, line in
            guard let range = line.firstRange(of: " \(field)=") else { return sum }
            return sum + (Int(line[range.upperBound...].prefix { $0.isNumber }) ?? 0)
        }
    }

    @Test func metrics_ofADaemonAtWork_areTheRecordsAndTheJournals() async throws {
        // Of sixty users a few are refused, gone, or late for good.
        let scene = try await Scene(perDevice: { token, _ in
            switch token.suffix(2) {
            case "10": .answer(status: 400, reason: "PayloadEmpty")
            case "20", "30": .answer(status: 410, reason: "Unregistered", timestamp: 1_900_000_000_000)
            case "40": .silence
            default: nil
            }
        })
        try scene.seedDue(60)
        // A message that goes, and one to somebody without a device.
        try scene.sql(
            """
            delete from public.push_tokens where user_id = '\(Scene.user(9))';
            select (nudged_api.send('\(Scene.user(9))', 'Ann', '\(Scene.body)')).id, (nudged_api.send('\(Scene.user(10))', 'Ann', '\(Scene.body)')).id;
            """
        )
        // A decision service that is for everything. All but one consent.
        try scene.changePreferences(#"|| '{"smart_enabled": true}'"#, where: "user_id <> '\(Scene.user(11))'")
        let service = try HTTPSServer(names: nil) { _ in
            HTTPSAct.answer(200, #"{"should_notify": true, "priority": "normal", "reason": "because it is so"}"#)
        }
        let port = LoopbackClient.freePort()
        let process = try scene.startFast([
            "METRICS_LISTEN": "127.0.0.1:\(port)", "APNS_RESPONSE_TIMEOUT": "2s",
            "DECISION_URL": "http://127.0.0.1:\(service.port)/", "DECISION_TIMEOUT": "4s",
        ])
        let page = try await Self.page(port, of: process) { page in
            try page.sum("nudged_pushes_total") == Double(Self.rows(scene))
                && page.value("nudged_pushes_in_flight") == 0
                && page.sum("nudged_pushes_total", ["outcome": "unknown"]) > 0
                && page.sum("nudged_pushes_total", ["kind": "message", "outcome": "accepted"]) > 0
                && page.sum("nudged_pushes_total", ["outcome": "dropped"]) > 0 && page.value("nudged_due_users") != nil
        }
        // The record's rows, by kind and outcome, are the counter's.
        for kind in ["check_in", "message", "reminder"] {
            for outcome in Self.outcomes {
                let rows = "select count(*) from nudged.delivery where kind = '\(kind)' and outcome = '\(outcome)'"
                let counted = page.value("nudged_pushes_total", ["kind": kind, "outcome": outcome])
                #expect(try counted == Double(scene.sql(rows)), "\(kind) \(outcome)")
            }
        }
        #expect(page.value("nudged_pushes_total", ["kind": "message", "outcome": "dropped"]) == 1)
        #expect(page.sum("nudged_lane_state", ["environment": "sandbox", "topic": Scene.topic]) == 1)
        #expect(page.value("nudged_service_decisions_total", ["by": "service", "notify": "true"]) == 59)
        #expect(page.value("nudged_users_without_consent_total") == 1)
        #expect(page.value("nudged_database_up") == 1 && page.value("nudged_schema_usable") == 1)
        #expect(page.value("nudged_daemons_alive") != nil)
        #expect((page.value("nudged_last_success_timestamp_seconds") ?? 0) > 1e9)
        #expect((page.value("nudged_due_oldest_seconds") ?? -1) >= 0)
        #expect(Self.sweeps(page) > 0)
        #expect(page.value("nudged_ranges_owned") == 64 && page.value("nudged_sweep_interval_seconds") == 0.1)
        try Self.keep(page: LoopbackClient.scrape(port: port))
        let run = try await scene.stop(process)
        // The journal's sweeps come to the same sums.
        for (field, outcome) in [
            ("sent", "accepted"), ("rejected", "rejected"), ("deferred", "deferred"), ("skipped", "skipped"),
            ("dropped", "dropped"), ("unknown", "unknown"),
        ] {
            let sum = page.sum("nudged_pushes_total", ["outcome": outcome])
            #expect(Double(Self.journal(run.errors, field)) == sum, "\(field)")
        }
        #expect(Double(Self.journal(run.errors, "tokens_deleted")) == page.value("nudged_tokens_deleted_total"))
        #expect(Self.journal(run.errors, "without_consent") == 1)
        // Who has stopped says nothing any more.
        #expect(LoopbackClient(port: port) == nil)
        service.stop()
        // Nothing of a person.
        let text = page.families.flatMap(\.samples).flatMap(\.labels).joined().joined(separator: " ")
        for secret in scene.secrets.withLock({ $0 }) + ["00000000-0000-4000"] { #expect(!text.contains(secret)) }
    }

    /// For `scripts/try-monitoring`: what a real daemon shows, where it asks for it.
    private static func keep(page answer: String?) throws {
        guard let path = getenv("NUDGED_METRICS_PAGE") else { return }
        let answer = try #require(answer)
        let body = try #require(answer.firstRange(of: "\r\n\r\n"))
        try TextFile.write(String(cString: path), String(answer[body.upperBound...]))
    }

    private static func rows(_ scene: Scene) throws -> Int {
        Int(try scene.sql("select count(*) from nudged.delivery")) ?? -1
    }

    @Test func metrics_whenWorkIsHeldUp_sayWhatAnAlertGoesBy() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let port = LoopbackClient.freePort()
        let process = try scene.startFast(["METRICS_LISTEN": "127.0.0.1:\(port)"])
        let good = try await Self.page(port, of: process) { Self.sweeps($0) > 0 }
        #expect(good.value("nudged_paused", ["kind": "message"]) == 0)
        try scene.seedDue(3)
        #expect(try await scene.nudged(["pause", "message"]).exit == .code(0))
        let stopped = try await Self.page(port, of: process) { page in
            page.value("nudged_lane_state", ["environment": "sandbox", "topic": Scene.topic, "state": "stopped"]) == 1
                && page.value("nudged_paused", ["kind": "message"]) == 1
                && Self.sweeps(page, "bad") > 5
        }
        // While Apple refuses, no sweep is a success.
        let success = try #require(stopped.value("nudged_last_success_timestamp_seconds"))
        let later = try await Self.page(port, of: process) { Self.sweeps($0, "bad") > Self.sweeps(stopped, "bad") + 20 }
        #expect(later.value("nudged_last_success_timestamp_seconds") == success)
        // The start is one instant, whenever it is asked for.
        #expect(later.value("nudged_start_time_seconds") == good.value("nudged_start_time_seconds"))
        // A newer nudged has migrated: this one says that it is outdated, and that the database is there.
        try scene.sql(
            "update nudged.migration set oldest = 9999, number = 9999 where number = (select max(number) from nudged.migration)"
        )
        let outdated = try await Self.page(port, of: process) { $0.value("nudged_schema_usable") == 0 }
        #expect(outdated.value("nudged_database_up") == 1)
        try await scene.stop(process)
    }

    @Test func metrics_whenAViewIsMissing_sayThatSweepsAreBadAndTheDatabaseIsUp() async throws {
        let scene = try await Scene()
        let port = LoopbackClient.freePort()
        let process = try scene.startFast(["METRICS_LISTEN": "127.0.0.1:\(port)"])
        func bad(_ page: ReadMetrics) -> Double { Self.sweeps(page, "bad") }
        _ = try await Self.page(port, of: process) { Self.sweeps($0) > 0 }
        // Drains fail for users whom nudged doesn't know, claims for all others.
        try scene.seedDue(3)
        #expect(await scene.simulator.waitUntil(accepted: 3))
        // A settlement that is under way would put the users off.
        let areSettled = "(select count(*) = 3 from nudged.delivery) and not exists (select from nudged.intent)"
        try await scene.wait(for: areSettled, of: process)
        let before = try await Self.page(port, of: process) { $0.value("nudged_pushes_in_flight") == 0 }
        try scene.sql("alter view nudged.recipient rename to recipient_2; update nudged.person set due_at = now()")
        let first = try await Self.page(port, of: process) { bad($0) > bad(before) }
        let later = try await Self.page(port, of: process) { bad($0) > bad(first) + 2 }
        #expect(later.value("nudged_database_up") == 1 && later.value("nudged_schema_usable") == 1)
        let success = "nudged_last_success_timestamp_seconds"
        #expect(later.value(success) == first.value(success))
        #expect(!process.errorOutput.contains("database_lost"), "\(process.errorOutput.suffix(2000))")
        try await scene.stop(process)
    }

    /// A sweep over a million users takes minutes: what it has done so far is not held back until its line.
    @Test func metrics_whileASweepGoesOn_grow() async throws {
        // The last push. Up to eight users in the same chunk are recorded with it.
        let asked = Atomic(0)
        let scene = try await Scene(perDevice: { _, _ in
            asked.add(1, ordering: .relaxed).newValue == 40 ? .silence : nil
        })
        try scene.seedDue(40)
        let port = LoopbackClient.freePort()
        let process = try scene.startFast([
            "METRICS_LISTEN": "127.0.0.1:\(port)", "APNS_MAX_IN_FLIGHT": "8", "APNS_RESPONSE_TIMEOUT": "60s",
            "SCHEDULE_LEASE": "150s",
        ])
        let accepted = ["outcome": "accepted"]
        let page = try await Self.page(port, of: process) { $0.sum("nudged_pushes_total", accepted) > 30 }
        #expect(!process.errorOutput.contains("sweep: sent"), "the sweep is over")
        #expect((page.value("nudged_pushes_in_flight") ?? 0) > 0)
        process.signal(SIGKILL)
        try await scene.finish(process)
    }

    @Test func metrics_whenAReloadMovesThem_areShownThere() async throws {
        let scene = try await Scene()
        let (first, second) = (LoopbackClient.freePort(), LoopbackClient.freePort())
        func write(_ port: UInt16) { scene.write("metrics: {listen: \"127.0.0.1:\(port)\"}\n", to: "nudged.yaml") }
        write(first)
        let process = try scene.startFast(with: "--config", "\(scene.folder)/nudged.yaml")
        _ = try await Self.page(first, of: process) { _ in true }
        // Somebody else has the port: that is said, and nothing stops.
        let other = try HTTPSServer(names: nil) { _ in HTTPSAct.answer() }
        write(other.port)
        process.signal(SIGHUP)
        #expect(process.waitForOutput(.seconds(30)) { $0.contains("can't listen on 127.0.0.1:\(other.port)") })
        #expect(LoopbackClient(port: first) == nil)
        write(second)
        process.signal(SIGHUP)
        let page = try await Self.page(second, of: process) { Self.sweeps($0) > 0 }
        #expect(page.value("nudged_database_up") == 1)
        scene.write("{}\n", to: "nudged.yaml")
        process.signal(SIGHUP)
        #expect(await eventually { LoopbackClient(port: second) == nil || process.exit != nil })
        try await scene.stop(process)
    }

    /// Others reach the port. Who has no token learns nothing, and can't fill the journal.
    @Test func metrics_forOtherMachines_needTheTokenThatIsInForce() async throws {
        let scene = try await Scene()
        let port = LoopbackClient.freePort()
        let tokens = ["planted-token-0123456789", "planted-token-9876543210"]
        scene.secrets.withLock { $0 += tokens + ["planted-wrong-token-01"] }
        scene.write("metrics: {listen: \"0.0.0.0:\(port)\"}\n", to: "nudged.yaml")
        let file = "\(scene.folder)/nudged.yaml"
        try await scene.nudged(["run", "--config", file]).ends(78, errors: "metrics.token is missing")
        func ask(_ token: String) -> String? {
            let client = LoopbackClient(port: port)
            client?.send("GET /metrics HTTP/1.1\r\nHost: nudged:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
            return client?.readAll()
        }
        func isShown(_ token: String) -> Bool { ask(token)?.contains("nudged_build_info{") == true }
        scene.write(tokens[0], to: "metrics.token")
        let credentials = ["CREDENTIALS_DIRECTORY": scene.folder, "LOG_LEVEL": "debug"]
        let process = try scene.startFast(credentials, with: "--config", file)
        #expect(await eventually { isShown(tokens[0]) || process.exit != nil })
        for _ in 0..<100 { #expect(ask("planted-wrong-token-01")?.hasPrefix("HTTP/1.1 401 ") == true) }
        #expect(isShown(tokens[0]) && !isShown(tokens[1]))
        scene.write(tokens[1], to: "metrics.token")
        process.signal(SIGHUP)
        #expect(await eventually { isShown(tokens[1]) || process.exit != nil })
        #expect(!isShown(tokens[0]))
        let errors = try await scene.stop(process).errors.split(separator: "\n")
        // Sweeps write no line while there is nothing to do.
        #expect(errors.count < 30, "\(errors.count) lines")
    }

    /// The service that is called hears of good sweeps, and of no other.
    @Test func heartbeat_isCalledAfterGoodSweepsOnly() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        let scene = try await Scene(cluster: cluster)
        let service = try HTTPSServer { _ in HTTPSAct.answer(200, "OK") }
        scene.write(try HTTPSServer.authority.get().certificate, to: "beat-ca.pem")
        scene.secrets.withLock { $0.append("planted-beat") }
        cluster.halt(.fast)
        let process = try scene.startFast([
            "HEARTBEAT_URL": "https://localhost:\(service.port)/planted-beat", "HEARTBEAT_INTERVAL": "1s",
            "HEARTBEAT_CA_FILE": "\(scene.folder)/beat-ca.pem",
        ])
        #expect(process.waitForOutput(.seconds(30)) { $0.contains("connecting failed") })
        #expect(service.seen.now.requests.isEmpty)
        try cluster.start()
        await service.seen.wait { $0.requests.count >= 3 }
        #expect(service.seen.now.requests.allSatisfy { $0.line == "GET /planted-beat HTTP/1.1" })
        // At most one a second, however often it sweeps.
        let (count, began) = (service.seen.now.requests.count, ContinuousClock.now)
        await service.seen.wait { $0.requests.count >= count + 3 }
        #expect(ContinuousClock.now - began > .milliseconds(1900))
        cluster.halt(.fast)
        #expect(process.waitForOutput(.seconds(30)) { $0.contains("database_lost") })
        let lost = service.seen.now.requests.count
        // Thirty ticks, and three intervals: nothing signals that nothing comes.
        try await Task.sleep(for: .seconds(3))
        #expect(service.seen.now.requests.count <= lost + 1)
        let run = try await scene.stop(process)
        #expect(!run.errors.contains("heartbeat_failed"), "\(run.text)")
        service.stop()
        cluster.stop()
    }

    @Test func heartbeat_whenTheServiceFails_isOneLineAndStopsNoNudge() async throws {
        let scene = try await Scene()
        let service = try HTTPSServer(names: nil) { request in
            HTTPSAct.answer(request.connection < 3 ? 500 : 200, "planted answer")
        }
        scene.secrets.withLock { $0 += ["planted-beat", "planted answer"] }
        try scene.seedDue(5)
        let process = try scene.startFast([
            "HEARTBEAT_URL": "http://127.0.0.1:\(service.port)/planted-beat", "HEARTBEAT_INTERVAL": "1s",
        ])
        #expect(process.waitForOutput(.seconds(60)) { $0.contains("answers with status 500") })
        #expect(await scene.simulator.waitUntil(accepted: 5))
        await service.seen.wait { $0.requests.count >= 3 }
        let run = try await scene.stop(process)
        #expect(run.errors.split(separator: "\n").count { $0.contains("heartbeat's calls fail") } == 1, "\(run.text)")
        service.stop()
    }
}
