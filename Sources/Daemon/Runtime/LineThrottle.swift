import Synchronization

/// Lets a repeated line through once an interval, with the count of those that were kept back.
final class LineThrottle: Sendable {
    private struct Line {
        var lastAt: Int64
        var suppressed = 0
    }

    private let lines = Mutex<[String: Line]>([:])
    private let interval: Int64
    /// Past so many different lines all are forgotten.
    private static let most = 1_000

    /// - Parameter interval: milliseconds.
    init(every interval: Int64) {
        self.interval = interval
    }

    /// How many like it were kept back since it was last said; nil: not now.
    func admit(_ line: String, now: Int64) -> Int? {
        lines.withLock { lines in
            if lines.count >= Self.most { lines = [:] }
            guard let last = lines[line], now - last.lastAt < interval else {
                let suppressed = lines[line]?.suppressed ?? 0
                lines[line] = Line(lastAt: now)
                return suppressed
            }
            lines[line]?.suppressed += 1
            return nil
        }
    }
}
