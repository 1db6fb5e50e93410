/// One row of the table of faults.
public struct FaultRow: Sendable, Equatable {
    /// What was done.
    public let fault: String
    /// Runs.
    public var runs = 0
    /// Users of all runs.
    public var users = 0
    /// Pushes that Apple took.
    public var accepted = 0
    /// How often each promise was broken.
    public var breaches: [Breach: Int] = [:]
    /// Recorded as unknown.
    public var unknown = 0
    /// What the faults excuse.
    public var allowed = 0
    /// The longest time from the fault's end to work, in milliseconds; nil: nothing to recover from.
    public var recovery: Int64?
    /// Why it was not run, or what was seen beside.
    public var notes: [String] = []
    /// Expectations of the row's own that failed.
    public var failures = 0

    /// Nothing yet.
    public init(fault: String) {
        self.fault = fault
    }

    /// Whether it was run, and no promise was broken.
    public var passes: Bool { breaches.isEmpty && failures == 0 }

    /// Counts a run.
    public mutating func add(_ result: RoundResult) {
        runs += 1
        users += result.books.people.count
        accepted += result.books.accepted.count
        for (breach, rows) in result.verdict.found { breaches[breach, default: 0] += rows.count }
        unknown += result.verdict.unknown
        allowed += result.allowance.unknown
        if let milliseconds = result.recovery { recovery = max(recovery ?? 0, milliseconds) }
        failures += result.failures.count
        for note in result.notes where !notes.contains(note) { notes.append(note) }
    }

    /// The breaches that have no column of their own.
    static let others = Breach.allCases.filter {
        ![.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].contains($0)
    }

    /// The cells of the table.
    public var cells: [String] {
        guard runs > 0 else { return [fault, "-"] + Array(repeating: "", count: 10) + [notes.joined(separator: "; ")] }
        let other = Self.others.reduce(0) { $0 + (breaches[$1] ?? 0) } + failures
        return [
            fault, "\(runs)", "\(users)", "\(accepted)",
        ] + [Breach.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].map { "\(breaches[$0] ?? 0)" } + [
            "\(other)", "\(unknown) / \(allowed)", recovery.map { "\(Double($0 / 100) / 10) s" } ?? "",
            notes.joined(separator: "; "),
        ]
    }

    /// Their heads.
    public static let heads = [
        "fault", "runs", "users", "accepted", "lost", "doubled", "over a limit", "quiet", "deleted", "other",
        "unknown / allowed", "recovery",
        "notes",
    ]

    private static let widths = [30, 5, 7, 9, 5, 8, 13, 6, 8, 6, 18, 9, 0]

    /// One aligned line for a terminal.
    public static func line(_ cells: [String]) -> String {
        var line = ""
        for (place, (cell, width)) in zip(cells, widths).enumerated() {
            let pad = String(repeating: " ", count: max(0, width - cell.count))
            line += (place == 0 || width == 0 ? cell + pad : pad + cell) + "  "
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A table for docs/GUARANTEES.md.
    public static func markdown(_ rows: [FaultRow]) -> String {
        let all = [heads, heads.indices.map { $0 == 0 || $0 == 12 ? "---" : "---:" }] + rows.map(\.cells)
        return all.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
