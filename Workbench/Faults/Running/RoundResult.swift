/// One run's books and verdict.
public struct RoundResult: Sendable {
    /// The round's name.
    public let name: String
    /// Both sides.
    public let books: Books
    /// What the fault excused.
    public let allowance: Allowance
    /// The comparison.
    public let verdict: Verdict
    /// Milliseconds from the fault's end to work.
    public let recovery: Int64?
    /// What was seen beside, for the table.
    public let notes: [String]
    /// What the script itself expected and did not find.
    public let failures: [String]

    /// Whether nothing is wrong.
    public var passes: Bool { verdict.isClean && failures.isEmpty }

    /// The offending rows, few of each, for a message.
    public var words: String {
        var lines = failures
        for breach in Breach.allCases {
            guard let rows = verdict.found[breach] else { continue }
            lines.append("\(breach.rawValue): \(rows.count)")
            lines += rows.prefix(5).map { "    \($0)" }
        }
        return lines.map { "  \(name): \($0)" }.joined(separator: "\n")
    }
}
