/// Decides whether to call the decision service: a dead one costs whole time-outs. In milliseconds of CLOCK_BOOTTIME.
package struct CircuitBreaker: Sendable {
    /// Permission for one call. End each one: `.abandoned` after its end changes nothing.
    package struct Pass: Sendable, Equatable { fileprivate let epoch: Int }

    package enum Outcome: Sendable, CaseIterable {
        case answered
        /// No answer, a late one, an error status or an invalid answer.
        case failed
        /// nudged gave it up, so it shows nothing about the service.
        case abandoned
    }

    enum State: Sendable, Equatable {
        /// All calls are made. → open: after `inARow` failures in a row, or if half of a full window failed.
        case closed
        /// No calls until then. → half open: with the first call after that.
        case open(until: Int64)
        /// One call probes the service. → closed: it was answered. → open: it failed (for longer), or was given up.
        case halfOpen(since: Int64)
    }

    static let inARow = 5
    static let window = 20
    /// The shortest and the longest pause, in milliseconds.
    static let pauses: ClosedRange<Int64> = 1_000...60_000
    /// Milliseconds after which a probe that was never ended counts as lost.
    static let probePatience: Int64 = 60_000

    private(set) var state = State.closed
    /// Rises with each change of state. A call that began before a change does not count after it.
    private var epoch = 0
    /// The last calls: whether each failed.
    private var latest: [Bool] = []
    /// Pauses since it was last closed.
    private var openings = 0

    /// Whether the service counts as dead.
    package var isOpen: Bool { state != .closed }

    package func isResting(now: Int64) -> Bool {
        switch state {
        case .closed: false
        case .open(let until): now < until
        case .halfOpen(let since): now - since < Self.probePatience
        }
    }

    package mutating func pass(now: Int64) -> Pass? {
        if state == .closed { return Pass(epoch: epoch) }
        guard !isResting(now: now) else { return nil }
        go(to: .halfOpen(since: now))
        return Pass(epoch: epoch)
    }

    /// - Parameter jitter: 0 to 1, so that several daemons don't probe at the same time.
    package mutating func end(_ pass: Pass, _ outcome: Outcome, now: Int64, jitter: Double) {
        guard pass.epoch == epoch else { return }
        switch (state, outcome) {
        case (.closed, .abandoned): break
        case (.closed, _):
            latest = latest.suffix(Self.window - 1) + [outcome == .failed]
            if outcome == .failed, isDead { open(now: now, jitter: jitter) }
        case (.halfOpen, .answered):
            openings = 0
            go(to: .closed)
        case (.halfOpen, .failed): open(now: now, jitter: jitter)
        // The probe showed nothing, so the pause is the same again.
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

    /// Pauses for half of the pause up to all of it. The next pause is twice as long.
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
