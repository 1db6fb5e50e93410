/// One row of the table of faults, over all its rounds.
package struct FaultRow: Sendable, Equatable {
    let fault: String
    package var runs = 0
    var users = 0
    package var accepted = 0
    var breaches: [Breach: Int] = [:]
    var unknown = 0
    var allowed = 0
    /// The longest recovery time in milliseconds; nil if it was not measured.
    var recovery: Int64?
    var seconds = 0
    var notes: [String] = []
    var failures = 0

    /// A fault that was not played passes. One that was played and sent nothing shows nothing, so it fails.
    package var passes: Bool { breaches.isEmpty && failures == 0 && (runs == 0 || accepted > 0) }

    mutating func add(_ result: RoundResult) {
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

    static let others = Breach.allCases.filter { ![.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].contains($0) }

    package var cells: [String] {
        guard runs > 0 else { return [fault, "-"] + Array(repeating: "", count: 11) + [notes.joined(separator: "; ")] }
        let other = Self.others.reduce(0) { $0 + (breaches[$1] ?? 0) } + failures
        return [
            fault, "\(runs)", "\(users)", "\(accepted)",
        ] + [Breach.lost, .doubled, .overLimit, .quiet, .wronglyDeleted].map { "\(breaches[$0] ?? 0)" } + [
            "\(other)", "\(unknown) / \(allowed)", recovery.map { "\(Double($0 / 100) / 10) s" } ?? "", "\(seconds) s",
            notes.joined(separator: "; "),
        ]
    }

    package static let heads = [
        "fault", "runs", "users", "accepted", "lost", "doubled", "over a limit", "quiet", "deleted", "other",
        "unknown / allowed", "recovery", "time", "notes",
    ]

    private static let widths = [30, 5, 7, 9, 5, 8, 13, 6, 8, 6, 18, 9, 6, 0]

    package static func line(_ cells: [String]) -> String {
        var line = ""
        for (place, (cell, width)) in zip(cells, widths).enumerated() {
            let pad = String(repeating: " ", count: max(0, width - cell.count))
            line += (place == 0 || width == 0 ? cell + pad : pad + cell) + "  "
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The results as a table in Markdown. It has no times: they depend on the machine.
    package static func markdown(_ rows: [FaultRow]) -> String {
        let all = ([heads, heads.indices.map { $0 == 0 || $0 == 13 ? "---" : "---:" }] + rows.map(\.cells)).map {
            $0.enumerated().filter { $0.offset != 12 }.map(\.element)
        }
        return all.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
