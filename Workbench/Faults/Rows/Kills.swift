import Core
import Glibc
import LocalPostgres
import Seeded

extension Fault {
    static let failPoints = Fault(name: "kill-at-fail-points") { plan in
        let all = plan.rounds(of: FailPoint.allCases, full: 4, users: 120, name: \.rawValue) {
            try await killTwice($0, at: $1)
        }
        return plan.some(all, quick: 9)
    }

    /// Two kills at one fail point, each at a random visit.
    private static func killTwice(_ stage: Stage, at point: FailPoint) async throws {
        try await prepare(stage, for: point)
        var kills = 0
        for time in 1...2 {
            // The first visit is certain. Later the work may be done before.
            let visit = time == 1 ? 1 : stage.draw(4) + 1
            let process = try stage.startOnce(["NUDGED_FAIL_POINT": "\(point.name):kill:\(visit)"])
            try await stage.mourn(process)
            if process.exit == .signal(SIGKILL) { kills += 1 }
        }
        if kills == 0 { stage.fail("\(point.name) was never reached") }
        try await stage.relent("nudged.intent")
    }

    private static func prepare(_ stage: Stage, for point: FailPoint) async throws {
        let person = stage.population.people[0].id
        switch point {
        case .afterRecover, .afterDeath:
            // A dead daemon with open intents.
            try await stage.mourn(try stage.startOnce(["NUDGED_FAIL_POINT": "after_intent:kill:2"]))
        case .beforeWithdrawal, .afterWithdrawal:
            try await stage.refuse("nudged.intent", on: "insert", state: "40001", share: 33)
        case .afterFanOut:
            // A reminder for everyone who shares a subject, which nobody does.
            let reminder = "'task', '1', 'Now', '', due_at => now(), audience => 'everyone'"
            try await stage.sql("select nudged_api.set_reminder('\(person)', \(reminder))")
        case .beforeSetAside:
            try await stage.sql(
                """
                insert into nudged.person (user_id, due_at, since) values ('\(person)', now(), '294270-01-01')
                on conflict (user_id) do update set since = excluded.since
                """
            )
            stage.allow { $0.changed.insert(person) }
        default: break
        }
    }

    static let randomKills = Fault(name: "kill-at-random-moments") { plan in
        // Few pushes in flight and slow answers, so that the work lasts longer than the kills.
        let scenery = Scenery(answers: 20...200, inFlight: 30, batch: 40)
        return plan.rounds(quick: 2, full: 40, users: 400, scenery: scenery) { stage in
            for _ in 1...plan.pick(quick: 4, full: 5) {
                let process = try stage.service()
                // A random moment after its start or during its work. There is no signal to wait for.
                let isWorking = stage.draw(2) == 0
                if isWorking { try await stage.awaitAccepted(stage.taken.count + 1 + stage.draw(40), by: process) }
                try await Task.sleep(for: .milliseconds(stage.draw(isWorking ? 100 : 1500)))
                try await stage.kill(process)
            }
            let process = try stage.service()
            try await stage.recover(process)
        }
    }
}
