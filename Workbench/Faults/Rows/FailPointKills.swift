import Core
import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// kill -9 at every fail point, a restart, and another kill.
    static let failPoints = Fault("kill-at-fail-points", row: "kill -9 at any point") { plan in
        let times = plan.pick(quick: 1, full: 4)
        let all = FailPoint.allCases.flatMap { point in
            (1...times).map { time in
                plan.round("\(point.rawValue) \(time)", users: 120) { stage, random in
                    var kill = FailPointKill(stage: stage, point: point, random: random)
                    try await kill.play()
                }
            }
        }
        // The seed decides which rounds are played.
        var random = SplitMix64(seed: plan.seed)
        return Array(all.shuffled(using: &random).prefix(plan.pick(quick: 9, full: all.count)))
    }
}

/// Two kills at one fail point, each at a random visit.
struct FailPointKill {
    let stage: Stage
    let point: FailPoint
    var random: SplitMix64

    mutating func play() async throws {
        try await prepare()
        var kills = 0
        for time in 1...2 {
            // The first visit is certain. Later the work may be done before.
            let visit = time == 1 ? 1 : Int(random.next() % 4) + 1
            let process = try stage.start(
                ["run", "--once", "--json"],
                ["NUDGED_FAIL_POINT": "\(point.rawValue):kill:\(visit)"]
            )
            try await stage.mourn(process)
            if process.exit == .signal(SIGKILL) { kills += 1 }
        }
        if kills == 0 { stage.fail("\(point.rawValue) was never reached") }
        try await stage.sql("drop trigger if exists fault_refuses on nudged.intent")
    }

    /// Prepares the database so that a sweep reaches the fail point.
    private func prepare() async throws {
        switch point {
        case .afterRecover, .afterDeath:
            // A dead daemon with open intents.
            try await stage.mourn(try stage.start(["run", "--once"], ["NUDGED_FAIL_POINT": "after_intent:kill:2"]))
        case .beforeWithdrawal, .afterWithdrawal:
            try await stage.refuse("nudged.intent", on: "insert", state: "40001", share: 33)
        case .afterFanOut:
            // A reminder for everyone who shares a subject, which nobody does.
            guard let person = stage.population.people.first else { return }
            try await stage.sql(
                "select nudged_api.set_reminder('task', '1', '\(person.id)', 'Now', '', due_at => now(), audience => 'everyone')"
            )
        case .beforeSetAside:
            guard let person = stage.population.people.first else { return }
            try await stage.sql(
                """
                insert into nudged.person (user_id, due_at, since) values ('\(person.id)', now(), '294270-01-01')
                on conflict (user_id) do update set since = excluded.since
                """
            )
            stage.allow { $0.changed.insert(person.id) }
        default: break
        }
    }
}
