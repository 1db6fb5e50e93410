/// How many pushes may be in flight, by what the server makes of them: additive increase, multiplicative decrease.
///
/// It falls by half once a round (for the pushes sent since the last fall) where a tenth of a round's answers are 5xx
/// or refusals; a stray 500 among thousands costs nothing. At one push it falls on into pauses, so that a fast server
/// that only errs is asked a few times a minute and not as fast as it errs.
struct AdaptiveLimit: Sendable {
    /// Milliseconds of the first and the longest pause.
    static let pauses: ClosedRange<Int64> = 500...60_000
    /// A round of fewer answers is too few to judge, unless the limit itself is lower.
    private static let leastAnswers = 20

    private var most: Int
    private var window: Double
    /// Below it the window grows by one a push (doubling each round), above by one a round.
    private var threshold: Double
    private var good = 0
    private var bad = 0
    private var pausesInRow = 0

    /// The number of falls. A push carries the number under which it was sent.
    private(set) var round: UInt32 = 0

    init(most: Int) {
        self.most = max(most, 1)
        window = Double(max(most, 1))
        threshold = window
    }

    /// The most pushes in flight now, at least 1.
    var limit: Int { max(1, Int(window)) }

    /// An answer that shows the server at work.
    mutating func succeeded(sentIn round: UInt32) {
        pausesInRow = 0
        if window < Double(most) {
            window = min(Double(most), window + (window < threshold ? 1 : 1 / window))
        }
        guard round == self.round else { return }
        good += 1
        rollRound()
    }

    /// A 5xx or a refused stream. Returns how long to pause, in milliseconds, where the limit cannot fall further.
    ///
    /// - Parameter jitter: 0 to 1.
    mutating func failed(sentIn round: UInt32, jitter: Double) -> Int64? {
        guard round == self.round else { return nil }
        bad += 1
        let answers = good + bad
        guard answers >= min(Self.leastAnswers, limit), bad * 10 >= answers else {
            rollRound()
            return nil
        }
        self.round &+= 1
        good = 0
        bad = 0
        guard limit > 1 else { return nextPause(jitter: jitter) }
        window = max(1, window / 2)
        threshold = window
        return nil
    }

    /// The next pause of a growing row.
    mutating func nextPause(jitter: Double) -> Int64 {
        let top = min(Self.pauses.upperBound, (Self.pauses.lowerBound * 2) << Int64(min(pausesInRow, 7)))
        pausesInRow += 1
        return Self.pauses.lowerBound + Int64(Double(top - Self.pauses.lowerBound) * jitter)
    }

    /// Another bound; what was learned stays.
    mutating func adapt(most: Int) {
        let wasFull = window >= Double(self.most)
        self.most = max(most, 1)
        window = wasFull ? Double(self.most) : min(window, Double(self.most))
        threshold = wasFull ? window : min(threshold, Double(self.most))
    }

    private mutating func rollRound() {
        guard good + bad >= max(Self.leastAnswers, limit) else { return }
        good = 0
        bad = 0
    }
}
