/// One row of the table of faults.
public struct FaultRow: Sendable, Equatable {
    /// The fault's name.
    public let fault: String
    /// How many rounds were played.
    public var runs = 0
    /// Users of all rounds.
    public var users = 0
    /// Pushes that Apple accepted.
    public var accepted = 0
    /// How often each promise was broken.
    public var breaches: [Breach: Int] = [:]
    /// Pushes recorded as unknown.
    public var unknown = 0
    /// How many unknown pushes the faults allow.
    public var allowed = 0
    /// The longest recovery time in milliseconds; nil if it was not measured.
    public var recovery: Int64?
    /// How long all rounds took.
    public var seconds = 0
    /// Measurements, or why the fault was not played.
    public var notes: [String] = []
    /// Failed expectations of the script itself.
    public var failures = 0

    /// A row without results.
    public init(fault: String) {
        self.fault = fault
    }

    /// Whether no promise was broken and no expectation failed. A fault that was not played passes. One that was played
    /// and sent nothing shows nothing.
    public var passes: Bool { breaches.isEmpty && failures == 0 && (runs == 0 || accepted > 0) }

    /// Adds a round's result.
    public mutating func add(_ result: RoundResult) {
        runs += 1
        users += result.books.people.count
        accepted += result.books.accepted.count
        for (breach, rows) in result.check.found { breaches[breach, default: 0] += rows.count }
        unknown += result.check.unknown
        allowed += result.allowance.unknown
        if let milliseconds = result.recovery { recovery = max(recovery ?? 0, milliseconds) }
        failures += result.failures.count
        for note in result.notes where !notes.contains(note) { notes.append(note) }
    }

    /// Breaches without a column of their own.
    static let others = Breach.allCases.filter {
        ![.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].contains($0)
    }

    /// The cells of the table.
    public var cells: [String] {
        guard runs > 0 else { return [fault, "-"] + Array(repeating: "", count: 11) + [notes.joined(separator: "; ")] }
        let other = Self.others.reduce(0) { $0 + (breaches[$1] ?? 0) } + failures
        return [
            fault, "\(runs)", "\(users)", "\(accepted)",
        ] + [Breach.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].map { "\(breaches[$0] ?? 0)" } + [
            "\(other)", "\(unknown) / \(allowed)", recovery.map { "\(Double($0 / 100) / 10) s" } ?? "", "\(seconds) s",
            notes.joined(separator: "; "),
        ]
    }

    /// The heads of the columns.
    public static let heads = [
        "fault", "runs", "users", "accepted", "lost", "doubled", "over a limit", "quiet", "deleted", "other",
        "unknown / allowed", "recovery", "time", "notes",
    ]

    private static let widths = [30, 5, 7, 9, 5, 8, 13, 6, 8, 6, 18, 9, 6, 0]

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

    /// A table for docs/FAULTS.md. It has no times: they depend on the machine.
    public static func markdown(_ rows: [FaultRow]) -> String {
        let all = ([heads, heads.indices.map { $0 == 0 || $0 == 13 ? "---" : "---:" }] + rows.map(\.cells)).map {
            $0.enumerated().filter { $0.offset != 12 }.map(\.element)
        }
        return all.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
