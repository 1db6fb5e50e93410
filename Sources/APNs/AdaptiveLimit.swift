import Base

/// Limits the pushes in flight by the server's answers: additive increase, multiplicative decrease.
///
/// It halves when a tenth of a round's answers are failures. A round counts the pushes sent since the last fall. At a
/// limit of one, a further fall returns a back-off, so a fast server that only fails gets a few requests a minute.
struct AdaptiveLimit: Sendable {
    /// Milliseconds.
    static let longestPause: Int64 = 60_000
    static let backoff = Backoff(first: 1_000, most: longestPause, least: 500)
    /// A round with fewer answers doesn't lower the limit, unless the limit itself is lower.
    private static let leastAnswers = 20

    private var most: Int
    private var window: Double
    /// Below it, the window grows by one per push (doubles each round). Above it, by one per round.
    private var threshold: Double
    private var good = 0
    private var bad = 0
    private var pausesInRow = 0

    /// The number of falls. A push carries the number at which it was sent.
    private(set) var round: UInt32 = 0

    init(most: Int) {
        self.most = max(most, 1)
        window = Double(max(most, 1))
        threshold = window
    }

    /// The most pushes in flight now, at least 1.
    var limit: Int { max(1, Int(window)) }

    /// An answer that shows that the server works.
    mutating func succeeded(sentIn round: UInt32) {
        pausesInRow = 0
        if window < Double(most) { window = min(Double(most), window + (window < threshold ? 1 : 1 / window)) }
        guard round == self.round else { return }
        good += 1
        rollRound()
    }

    /// A 5xx, 429, refused stream, missing answer or lost connection. Returns milliseconds of
    /// back-off if the limit can't fall.
    mutating func failed(sentIn round: UInt32, jitter: Double) -> Int64? {
        guard round == self.round else { return nil }
        bad += 1
        let answers = good + bad
        guard answers >= min(Self.leastAnswers, limit), bad * 10 >= answers else {
            rollRound()
            return nil
        }
        self.round &+= 1
        (good, bad) = (0, 0)
        guard limit > 1 else { return nextPause(jitter: jitter) }
        window = max(1, window / 2)
        threshold = window
        return nil
    }

    /// The next back-off: random, below a bound that doubles until an answer succeeds.
    mutating func nextPause(jitter: Double) -> Int64 {
        pausesInRow += 1
        return Self.backoff.wait(failures: pausesInRow, random: jitter)
    }

    /// Sets another upper bound and keeps what was learned.
    mutating func adapt(most: Int) {
        let wasFull = window >= Double(self.most)
        self.most = max(most, 1)
        window = wasFull ? Double(self.most) : min(window, Double(self.most))
        threshold = wasFull ? window : min(threshold, Double(self.most))
    }

    private mutating func rollRound() {
        guard good + bad >= max(Self.leastAnswers, limit) else { return }
        (good, bad) = (0, 0)
    }
}
