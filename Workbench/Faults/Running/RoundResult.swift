/// The data and the result of one round.
public struct RoundResult: Sendable {
    /// The round's name.
    public let name: String
    /// The data of both sides.
    public let books: Books
    /// What the fault was allowed to cause.
    public let allowance: Allowance
    /// The result of the comparison.
    public let check: BookCheck
    /// The recovery time in milliseconds; nil if it was not measured.
    public let recovery: Int64?
    /// Measurements for the table.
    public let notes: [String]
    /// Failed expectations of the script.
    public let failures: [String]

    /// Whether no promise was broken and no expectation failed.
    public var passes: Bool { check.isClean && failures.isEmpty }

    /// The failures and up to five rows of each breach, as text.
    public var text: String {
        var lines = failures
        for breach in Breach.allCases {
            guard let rows = check.found[breach] else { continue }
            lines.append("\(breach.rawValue): \(rows.count)")
            lines += rows.prefix(5).map { "    \($0)" }
        }
        return lines.map { "  \(name): \($0)" }.joined(separator: "\n")
    }
}
