import Core
import Glibc
import LocalPostgres
import Seeded

extension Fault {
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
