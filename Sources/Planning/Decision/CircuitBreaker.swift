/// Decides whether the decision service is asked at all: a dead one costs every nudge its deadline. Instants are
/// milliseconds of CLOCK_BOOTTIME.
package struct CircuitBreaker: Sendable {
    /// Leave to ask once; each is ended once, whatever came of it.
    package struct Pass: Sendable, Equatable {
        fileprivate let epoch: Int
        /// Whether the next state hangs on this one alone.
        let isProbe: Bool
    }

    /// What became of a question.
    package enum Outcome: Sendable, CaseIterable {
        /// An answer that can be used.
        case answered
        /// None, a late one, an error's status, or nonsense.
        case failed
        /// It was given up by us: that says nothing of the service.
        case abandoned
    }

    enum State: Sendable, Equatable {
        /// Everyone is asked. → open: `inARow` failures, or half of a full window.
        case closed
        /// Nobody is asked until then. → half open: the next one who asks after that.
        case open(until: Int64)
        /// One probe is out, since then. → closed: it was answered. → open: it failed, for longer; or was given up.
        case halfOpen(since: Int64)
    }

    /// Failures one after the other that open it.
    static let inARow = 5
    /// Answers and failures that are looked at together; half of so many failed open it.
    static let window = 20
    /// Milliseconds of the shortest and the longest pause.
    static let pauses: ClosedRange<Int64> = 1_000...60_000
    /// Milliseconds after which a probe that nobody ended counts as lost.
    static let probePatience: Int64 = 60_000

    private(set) var state = State.closed
    /// Raised by each change of state: what was asked before it says nothing about what came after.
    private var epoch = 0
    /// The last ones, whether each failed.
    private var latest: [Bool] = []
    /// Pauses since it was last closed.
    private var openings = 0

    package init() {}

    /// Whether the service counts as dead.
    package var isOpen: Bool { state != .closed }

    /// Whether nobody would get leave now.
    package func isResting(now: Int64) -> Bool {
        switch state {
        case .closed: false
        case .open(let until): now < until
        case .halfOpen(let since): now - since < Self.probePatience
        }
    }

    /// Leave to ask now; nil: don't.
    package mutating func pass(now: Int64) -> Pass? {
        if state == .closed { return Pass(epoch: epoch, isProbe: false) }
        guard !isResting(now: now) else { return nil }
        go(to: .halfOpen(since: now))
        return Pass(epoch: epoch, isProbe: true)
    }

    /// A question ended.
    ///
    /// - Parameter jitter: 0 to 1, so that several daemons don't probe together.
    package mutating func end(_ pass: Pass, _ outcome: Outcome, now: Int64, jitter: Double) {
        guard pass.epoch == epoch else { return }
        switch (state, outcome) {
        case (.closed, .abandoned): break
        case (.closed, _):
            latest = latest.suffix(Self.window - 1) + [outcome == .failed]
            if isDead { open(now: now, jitter: jitter) }
        case (.halfOpen, .answered):
            openings = 0
            go(to: .closed)
        case (.halfOpen, .failed): open(now: now, jitter: jitter)
        // Nothing was learnt: the same pause again.
        case (.halfOpen, .abandoned):
            openings = max(0, openings - 1)
            open(now: now, jitter: jitter)
        case (.open, _): break
        }
    }

    private var isDead: Bool {
        let lastAnswer = latest.lastIndex(of: false) ?? -1
        if latest.count - 1 - lastAnswer >= Self.inARow { return true }
        return latest.count == Self.window && latest.count { $0 } * 2 >= Self.window
    }

    /// From half the pause to the whole; the next one is twice as long.
    private mutating func open(now: Int64, jitter: Double) {
        let pause = min(Self.pauses.upperBound, Self.pauses.lowerBound << Int64(min(openings, 16)))
        openings += 1
        go(to: .open(until: now + pause / 2 + Int64(Double(pause / 2) * jitter)))
    }

    private mutating func go(to next: State) {
        state = next
        epoch += 1
        latest = []
    }
}
