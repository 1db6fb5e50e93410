import Seeded

extension Fault {
    /// kill -9 at random moments of a running daemon, again and again for the same users.
    static let randomKills = Fault("kill-at-random-moments", row: "kill -9 at any point") { plan in
        let (rounds, kills) = plan.pick(quick: (2, 4), full: (40, 5))
        // Few pushes in flight and slow answers, so that the work lasts longer than the kills.
        var scenery = Scenery()
        scenery.answerMilliseconds = 20...200
        scenery.environment = ["APNS_MAX_IN_FLIGHT": "30", "SCHEDULE_BATCH": "40"]
        return (1...rounds).map { number in
            plan.round("random \(number)", users: 400, scenery: scenery) { stage, random in
                var random = random
                for _ in 1...kills {
                    let process = try stage.service()
                    // A random moment after its start or during its work. There is no signal to wait for.
                    let isWorking = random.next() % 2 == 0
                    if isWorking {
                        let wanted = stage.acceptedCount + 1 + Int(random.next() % 40)
                        _ = try await stage.awaitAccepted(wanted, by: process)
                    }
                    try await Task.sleep(for: .milliseconds(Int64(random.next() % (isWorking ? 100 : 1500))))
                    try await stage.kill(process)
                }
                let process = try stage.service()
                try await stage.measureRecovery(since: stage.moment)
                try await stage.awaitIdle()
                try await stage.stop(process)
            }
        }
    }
}
