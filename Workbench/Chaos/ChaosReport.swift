import FoundationEssentials
import Glibc

package struct ChaosReport: Sendable {
    let seed: UInt64
    let seconds: Int
    let rate: Int
    package let books: Ledger
    let acts: [String: Int]
    let connections: Int
    /// After a tenth of the pushes, after half of them, and after everything was closed.
    let footprints: [(name: String, footprint: Footprint)]

    /// Whether no promise was broken and a quarter was accepted: a sender that sends nothing fails.
    package var isClean: Bool { books.violations.isEmpty && books.endings[.accepted, default: 0] * 4 >= books.sent }

    package var line: String {
        let endings = Ending.allCases.filter { $0 != .open }.map { ("\($0)", "\(books.endings[$0, default: 0])") }
        let violations = Violation.allCases.compactMap { violation in
            books.violations[violation].map { count in
                let examples = (books.examples[violation] ?? []).map(String.init).joined(separator: ",")
                return (violation.rawValue, Self.object([("count", "\(count)"), ("pushes", "[\(examples)]")]))
            }
        }
        return Self.object([
            ("seed", "\(seed)"), ("seconds", "\(seconds)"), ("rate", "\(rate)"), ("pushes", "\(books.sent)"),
            ("outcomes", Self.object(endings)), ("logged", "\(books.logged)"), ("connections", "\(connections)"),
            ("acts", Self.object(acts.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })),
            ("rss_kb", Self.object(footprints.map { ($0.name, "\($0.footprint.residentKilobytes)") })),
            ("descriptors", Self.object(footprints.map { ($0.name, "\($0.footprint.descriptors)") })),
            ("violations", Self.object(violations)),
        ])
    }

    /// No name and no text of a run needs escaping.
    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}

/// Memory and descriptors of this process at one instant.
struct Footprint: Sendable, Equatable {
    let residentKilobytes: Int
    let descriptors: Int

    static func now() -> Footprint {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        let pages = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1
        // Without the descriptor of the folder itself.
        return Footprint(residentKilobytes: pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024, descriptors: open - 1)
    }
}
