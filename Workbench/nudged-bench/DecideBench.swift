import Policy
import TimeZones

/// Measures how many decisions per second one core makes for a seeded population.
struct DecideBench {
    /// How many decisions to make.
    let count: Int
    /// The seed of the population.
    var seed: UInt64 = 1

    /// The measured figures.
    struct Figures {
        let count: Int
        let seconds: Double
        let decisionsPerSecond: Double
        /// Decisions by action, to show that the run did not only hold users back.
        let actions: [String: Int]
    }

    /// Rules with every option set.
    private static func rules() throws -> Rules {
        try Rules(
            defaultTimezone: "Europe/Berlin",
            spreadMinutes: 60,
            quietEndJitterMinutes: 15,
            maxPerHour: 4,
            maxPerDay: 10
        )
    }

    /// Evaluates up to 100,000 users again and again. A first pass, not measured, reads the zone files.
    func run() throws -> Figures {
        let zones = ZoneDatabase()
        var population = CandidatePopulation(seed: seed, zones: zones)
        let questions = (0..<min(max(count, 1), 100_000)).map { _ in population.next() }
        let policy = Policy(rules: try Self.rules(), zones: zones)
        var actions: [Action: Int] = [:]
        for question in questions {
            actions[try policy.decide(question.candidate, now: question.now).action, default: 0] += 1
        }
        var taken = 0
        var sends = 0
        let elapsed = try ContinuousClock().measure {
            while taken < count {
                for question in questions.prefix(count - taken) {
                    // The sum keeps the optimizer from removing the decision.
                    if try policy.decide(question.candidate, now: question.now).action == .send { sends += 1 }
                    taken += 1
                }
            }
        }
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        precondition(sends >= 0)
        return Figures(
            count: taken,
            seconds: seconds,
            decisionsPerSecond: Double(taken) / max(seconds, 1e-9),
            actions: Dictionary(uniqueKeysWithValues: actions.map { ($0.key.rawValue, $0.value) })
        )
    }
}
