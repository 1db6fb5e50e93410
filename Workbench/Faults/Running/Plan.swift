public import Seeded

/// How much of a fault is run, and by which seed.
public struct Plan: Sendable {
    /// How much.
    public enum Scale: Sendable {
        /// As a test: seconds.
        case test
        /// The choice of two minutes.
        case quick
        /// All of it.
        case full
    }

    /// How much.
    public let scale: Scale
    /// The seed of all.
    public let seed: UInt64
    /// Users a round where something else was asked for than each row's own number.
    public let users: Int?

    /// All parts.
    public init(_ scale: Scale, seed: UInt64, users: Int? = nil) {
        self.scale = scale
        self.seed = seed
        self.users = users
    }

    /// How many rounds of a fault are played side by side.
    public var width: Int { 3 }

    /// One of three.
    public func pick<Value>(test: Value, quick: Value, full: Value) -> Value {
        switch scale {
        case .test: test
        case .quick: quick
        case .full: full
        }
    }

    /// A seed of its own for a round of this name: it does not change where other rounds come or go.
    public func seed(_ name: String) -> UInt64 {
        // FNV-1a: the same on every machine, unlike `Hashable`'s.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var random = SplitMix64(seed: seed ^ hash)
        return random.next()
    }

    /// A round of this name, whose script gets its seed's generator.
    public func round(
        _ name: String,
        users: Int,
        scenery: Scenery = Scenery(),
        play: @escaping @Sendable (Stage, _ random: SplitMix64) async throws -> Void
    ) -> Round {
        let seed = seed(name)
        return Round(name, seed: seed, users: self.users ?? users, scenery: scenery) { stage in
            // Not the population's own draws once more.
            try await play(stage, SplitMix64(seed: ~seed))
        }
    }
}
