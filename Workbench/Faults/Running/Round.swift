/// One run: a population, a scripted fault, a comparison.
public struct Round: Sendable {
    /// Its name within its fault.
    public let name: String
    /// The seed of the population and of the script.
    public let seed: UInt64
    /// How many users it has.
    public let users: Int
    /// Its cluster, Apple's answers and the daemons' variables.
    public let scenery: Scenery
    /// The script: it starts daemons, breaks things and restores them. `run --once` serves who is still due before the
    /// comparison.
    public let play: @Sendable (Stage) async throws -> Void

    /// A round.
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
