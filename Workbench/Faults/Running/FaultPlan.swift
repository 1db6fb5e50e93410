public import Seeded

/// How much of each fault is played, and with which seed.
public struct FaultPlan: Sendable {
    /// The two sizes of a run.
    public enum Scale: Sendable {
        /// `--quick`: every fault a little, in about six minutes.
        case quick
        /// Everything.
        case full
    }

    /// The size of the run.
    public let scale: Scale
    /// The seed of everything.
    public let seed: UInt64
    /// Users per round; nil for each row's own number.
    public let users: Int?
    /// The most rounds per fault; nil for each row's own number.
    public let rounds: Int?

    /// A plan.
    public init(_ scale: Scale, seed: UInt64, users: Int? = nil, rounds: Int? = nil) {
        self.scale = scale
        self.seed = seed
        self.users = users
        self.rounds = rounds
    }

    /// How many rounds of a fault are played at the same time.
    public var width: Int { 3 }

    /// The value for this scale.
    public func pick<Value>(quick: Value, full: Value) -> Value {
        switch scale {
        case .quick: quick
        case .full: full
        }
    }

    /// A seed for a round of this name. It doesn't depend on which other rounds there are.
    public func seed(_ name: String) -> UInt64 {
        let hash = name.stableHash
        var random = SplitMix64(seed: seed ^ hash)
        return random.next()
    }

    /// A round of this name. Its script gets a generator from the round's seed.
    public func round(
        _ name: String,
        users: Int,
        scenery: Scenery = Scenery(),
        play: @escaping @Sendable (Stage, _ random: SplitMix64) async throws -> Void
    ) -> Round {
        let seed = seed(name)
        return Round(name, seed: seed, users: self.users ?? users, scenery: scenery) { stage in
            // Inverted, so that the script doesn't repeat the population's random numbers.
            try await play(stage, SplitMix64(seed: ~seed))
        }
    }
}
