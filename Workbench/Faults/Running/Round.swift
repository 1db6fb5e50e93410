/// One run: a population, a scripted fault, a comparison.
public struct Round: Sendable {
    /// Names it within its fault.
    public let name: String
    /// Of the population and of all that the script draws.
    public let seed: UInt64
    /// How many.
    public let users: Int
    /// What surrounds it.
    public let scenery: Scenery
    /// The script: starts daemons, breaks things, mends them. What it leaves due is served by `run --once` before the books are read.
    public let play: @Sendable (Stage) async throws -> Void

    /// All parts.
    public init(
        _ name: String,
        seed: UInt64,
        users: Int,
        scenery: Scenery = Scenery(),
        play: @escaping @Sendable (Stage) async throws -> Void
    ) {
        self.name = name
        self.seed = seed
        self.users = users
        self.scenery = scenery
        self.play = play
    }
}
