import Daemon
import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// kill -9 at every fail point, restart, again.
    static let failPoints = Fault("kill-at-fail-points", row: "kill -9 at any point") { plan in
        let times = plan.pick(test: 1, quick: 1, full: 4)
        return FailPoint.allCases.flatMap { point in
            (1...times).map { time in
                plan.round("\(point.rawValue) \(time)", users: 150) { stage, random in
                    try await FailPointKill(stage: stage, point: point, random: random).play()
                }
            }
        }
    }
}

/// Two kills at one fail point, each at a visit that the seed draws.
struct FailPointKill {
    let stage: Stage
    let point: FailPoint
    var random: SplitMix64

    func play() async throws {
        var random = random
        for _ in 1...2 {
            let visit = Int(random.next() % 3) + 1
            let process = try stage.start(
                ["run", "--once", "--json"],
                ["NUDGED_FAIL_POINT": "\(point.rawValue):kill:\(visit)"]
            )
            try await stage.mourn(process)
        }
    }
}
