import Core
import Glibc
import LocalPostgres

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

    /// Slow answers, so that there is work left when a daemon joins or leaves.
    static let slow = Scenery(answers: 40...80, inFlight: 4, batch: 20)

    static let comingAndGoing = Fault(name: "daemons-come-and-go") { plan in
        plan.rounds(quick: 1, full: 4, users: plan.pick(quick: 1_000, full: 2_000), scenery: slow) { stage in
            let first = try await stage.service(accepting: 20)
            let others = try (1...3).map { _ in try stage.service() }
            // The first owned all ranges, so it leaves, and joins again with its share.
            try await stage.awaitShares([16, 16, 16, 16])
            let before = stage.taken.count
            try await stage.wait(for: "all four to send") {
                if stage.taken.count >= before + 200 { return true }
                return try await stage.isIdle()
            }
            for daemon in others { try await stage.stop(daemon) }
            try await stage.awaitShares([64])
            try await stage.serveAll([first])
            let shares = ([first] + others).map(sent)
            // On a busy machine the first daemon may have sent most before the others were there.
            if before < 500, shares.contains(0) { stage.fail("the work was not shared: \(shares)") }
            stage.note("shares \(shares.map(String.init).joined(separator: ", "))")
        }
    }

    static let membershipKills = Fault(name: "killed-while-joining-or-leaving") { plan in
        let steps: [MembershipStep] = [
            ("joining", .beforeJoin, 1, .newcomer), ("joined", .afterJoin, 1, .newcomer),
            ("leaving", .beforeLeave, 1, .leaver), ("gone", .afterLeave, 1, .leaver),
            ("leaving for its share", .beforeLeave, 1, .owner), ("gone for its share", .afterLeave, 1, .owner),
            ("joining again", .beforeJoin, 2, .owner), ("joined again", .afterJoin, 2, .owner),
            ("before a death", .beforeDeath, 1, .undertaker), ("after a death", .afterDeath, 1, .undertaker),
        ]
        let all = plan.rounds(of: steps, full: 3, users: 300, scenery: slow, name: \.name) { stage, step in
            try await killMember(stage, at: step)
        }
        return plan.some(all, quick: 5)
    }

    static let wrongDeaths = Fault(name: "declared-dead-alive") { plan in
        let deaths = plan.pick(quick: 10, full: 20)
        return plan.rounds(quick: 1, full: 4, users: plan.pick(quick: 600, full: 1_200), scenery: slow) { stage in
            let daemons = try (1...2).map { _ in try stage.service() }
            try await stage.awaitAccepted(10, by: daemons[0])
            var open = 0
            for _ in 1...deaths {
                try await Task.sleep(for: .milliseconds(stage.draw(300)))
                let pushes = try await stage.declareDead()
                open += pushes.count
                stage.allow { $0.openAtKill.formUnion(pushes) }
            }
            try await stage.serveAll(daemons)
            if open == 0 { stage.fail("no member had an open intent: the round tests nothing") }
            stage.note("\(deaths) deaths, \(open) pushes open")
        }
    }
}

private typealias MembershipStep = (name: String, point: FailPoint, visit: Int, part: MembershipPart)

private enum MembershipPart: Sendable {
    case newcomer
    case leaver
    /// It owns all ranges when another joins. It leaves to join again with its share.
    case owner
    case undertaker
}

extension Fault {
    /// A daemon is killed at a step of its membership, while another goes on.
    private static func killMember(_ stage: Stage, at step: MembershipStep) async throws {
        let point = step.point
        let changes = [
            "NUDGED_FAIL_POINT": "\(point.name):kill:\(step.visit)",
            // The name lets us wait for the end of its sessions.
            "DATABASE_URL": stage.cluster.url(database: stage.database) + "?application_name=victim",
        ]
        let (victim, other): (ChildProcess, ChildProcess)
        switch step.part {
        case .newcomer:
            other = try await stage.service(accepting: 10)
            victim = try stage.service(changes)
        case .leaver:
            other = try stage.service()
            // The other gives up its share, so the victim leaves only once: when it gets SIGTERM.
            try await stage.awaitShares([64])
            victim = try stage.service(changes)
            try await stage.awaitShares([32, 32])
            victim.signal(SIGTERM)
        case .owner:
            victim = try await stage.service(changes, accepting: 10)
            other = try stage.service()
        case .undertaker:
            let dead = try await stage.service(accepting: 10)
            try await stage.kill(dead)
            victim = try stage.service(changes)
            // Only now: either of them could declare the third one dead.
            try await stage.finish(victim)
            other = try stage.service()
        }
        let row = "select count(*) from nudged.daemon where pid = \(other.id)"
        try await stage.wait(for: "the other daemon's row", row, is: 1)
        try await stage.finish(victim)
        if victim.exit != .signal(SIGKILL) {
            stage.fail("\(point.name) was not reached: \(String(describing: victim.exit))")
        }
        let left = "select count(*) from pg_stat_activity where application_name = 'victim' and \(Stage.others)"
        try await stage.wait(for: "the victim's sessions to end", left)
        let open = try await stage.openIntents(except: other)
        stage.allow { $0.openAtKill.formUnion(open) }
        try await stage.endLeases(except: other)
        try await stage.awaitShares([64])
        try await stage.serveAll([other])
    }
}

extension Stage {
    func awaitShares(_ shares: [Int]) async throws {
        let wanted = shares.map(String.init)
        try await wait(for: "shares of \(wanted.joined(separator: ", "))") {
            try await self.lines("select count(*) from nudged.range where owner is not null group by owner order by 1")
                == wanted
        }
    }

    /// Declares a random member dead, which may be alive. Returns its open pushes.
    func declareDead() async throws -> Set<String> {
        // One transaction. The second statement comes after the lock, so it sees a concurrent commit.
        let answers = try await lines(
            """
            select set_config('faults.victim', id::text, true)
            from (select id from nudged.member order by random() limit 1 for update) m;
            select encode(o.content, 'hex') from \(Self.openUsers)
            where i.member::text = current_setting('faults.victim', true);
            delete from nudged.member where id::text = current_setting('faults.victim', true)
            """
        )
        return Self.pushes(answers.dropFirst())
    }
}
