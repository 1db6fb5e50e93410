/// A row of the table: what goes wrong, and the rounds that play it.
public struct Fault: Sendable {
    /// For `--only`, and the test's name: lower case with hyphens.
    public let name: String
    /// The row of docs/TESTING.md that it stands for.
    public let row: String
    /// Whether it is among the choice of two minutes.
    public let isQuick: Bool
    /// Why this machine can't play it; nil: it can.
    public let obstacle: @Sendable () -> String?
    /// What is played.
    public let rounds: @Sendable (Plan) -> [Round]

    /// All parts.
    public init(
        _ name: String,
        row: String,
        isQuick: Bool = true,
        obstacle: @escaping @Sendable () -> String? = { nil },
        rounds: @escaping @Sendable (Plan) -> [Round]
    ) {
        self.name = name
        self.row = row
        self.isQuick = isQuick
        self.obstacle = obstacle
        self.rounds = rounds
    }
}
