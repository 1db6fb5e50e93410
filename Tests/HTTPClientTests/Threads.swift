import Foundation

/// What the kernel says of this process's threads.
enum Threads {
    /// Whether there are threads of this name, and all of them block the signal.
    static func areHolding(signal: UInt64, named name: String) -> Bool {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let statuses = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/status", encoding: .utf8) }
            .filter { $0.hasPrefix("Name:\t\(name)\n") }
        return !statuses.isEmpty
            && statuses.allSatisfy { status in
                let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:\t") }
                let mask = line.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
                return mask >> (signal - 1) & 1 == 1
            }
    }
}
