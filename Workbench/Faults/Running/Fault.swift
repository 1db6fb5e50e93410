/// A row of the table: what goes wrong, and the rounds that play it.
public struct Fault: Sendable {
    /// Its name, for `--only` and the tests: lower case with hyphens.
    public let name: String
    /// What it does, for `--list`.
    public let row: String
    /// Why this machine can't play it; nil if it can.
    public let obstacle: @Sendable () -> String?
    /// Its rounds.
    public let rounds: @Sendable (FaultPlan) -> [Round]

    /// A fault with its rounds.
    public init(
        _ name: String,
        row: String,
        obstacle: @escaping @Sendable () -> String? = { nil },
        rounds: @escaping @Sendable (FaultPlan) -> [Round]
    ) {
        self.name = name
        self.row = row
        self.obstacle = obstacle
        self.rounds = rounds
    }
}
