import HTTP2
import OpenSSL
import Base

/// Sends pushes over the connections of one lane: one (key, environment, topic).
///
/// `LaneState` decides. This class performs: it opens and closes connections, writes requests and calls back. Every
/// push has exactly one result, if the sender lives until `drain` returns. All methods may be called on any thread.
public final class Sender: Sendable {
    let core: Mutex<SenderCore>
    let clock: SenderClock
    private let log: @Sendable (SenderEvent) -> Void
    private let onStateChange: @Sendable (LaneStatus) -> Void

    /// A sender without a connection. The first push opens one.
    ///
    /// - Parameters:
    ///   - configuration: The lane's key, topic and limits.
    ///   - clock: The clocks and the timer.
    ///   - jitter: A random number from 0 to 1, for back-offs.
    ///   - log: Gets events for the log. Called on any thread, must not block.
    ///   - onStateChange: Gets the status after each change. Called on any thread, must not block.
    public init(
        configuration: SenderConfiguration,
        clock: SenderClock = .system,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        log: @escaping @Sendable (SenderEvent) -> Void,
        onStateChange: @escaping @Sendable (LaneStatus) -> Void = { _ in }
    ) {
        let tokens = ProviderTokenSource(configuration)
        self.clock = clock
        self.log = log
        self.onStateChange = onStateChange
        let state = LaneState(limits: LaneLimits(configuration), jitter: jitter)
        core = Mutex(SenderCore(state: state, configuration: configuration, tokens: tokens))
    }

    deinit {
        core.withLock { core in
            for link in core.links.values { link.connection.close() }
        }
    }

    /// Sends each push once.
    ///
    /// - Parameters:
    ///   - onQuarantine: Gets the pushes whose devices are to be quarantined for this environment and topic. Called at
    ///     most a minute after their results. Not called if the lane stops or drains before: these pushes are retried
    ///     later.
    ///   - onResults: Gets each tag exactly once, several in a call, on any thread, possibly before `send` returns.
    ///     Must not block.
    public func send(
        _ pushes: [Push],
        onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void = { _ in },
        onResults: @escaping @Sendable ([PushResult]) -> Void
    ) {
        send(PushBatch(pushes), onQuarantine: onQuarantine, onResults: onResults)
    }

    /// Sends each push of a batch once. `onResults` and `onQuarantine` are as for an array.
    public func send(
        _ pushes: PushBatch,
        onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void = { _ in },
        onResults: @escaping @Sendable ([PushResult]) -> Void
    ) {
        guard pushes.count > 0 else { return }
        handle { core in
            core.lastBatch += 1
            core.batches[core.lastBatch] = SenderCore.Batch(
                onResults: onResults,
                onQuarantine: onQuarantine,
                open: pushes.count
            )
            return .send(pushes, batch: core.lastBatch)
        }
    }

    /// Closes the window of answers now, because nothing more is sent for a while. `onQuarantine` is called before this
    /// returns. Returns false if no refused token was in the window.
    public func concludeWindow() -> Bool {
        var hasSuspects = false
        handle { core in
            hasSuspects = !core.state.window.suspects.isEmpty
            return .concludeWindow
        }
        return hasSuspects
    }

    /// How many pushes may be committed now because their streams are free.
    ///
    /// 1 if no connection is open and one may be dialled, and until a new connection's first push is accepted. 0 during
    /// back-off, rest, drain or stop (except for one probe a minute).
    public var freeSlots: Int {
        let now = clock.now()
        return core.withLock { $0.state.freeSlots(now: now) }
    }

    /// The lane's status.
    public var status: LaneStatus {
        let now = clock.now()
        return core.withLock { $0.state.status(now: now) }
    }

    /// Where new connections go.
    public var server: SenderConfiguration.Endpoint { core.withLock { $0.configuration.server } }

    /// Takes a new key, endpoint or limits. Pushes in flight end on their old connections; later ones use new
    /// connections. A stopped lane resumes. If only limits or time-outs change, connections, stop and back-off stay as
    /// they are.
    public func reconfigure(_ configuration: SenderConfiguration) {
        let last = core.withLock { $0.tokens.withSchedule { $0.lastNumber } }
        // Leave eight numbers for tokens that the old key signs meanwhile.
        let tokens = ProviderTokenSource(configuration, after: last + 8)
        handle { core in
            let old = core.configuration
            let keeps =
                old.keyID == configuration.keyID && old.teamID == configuration.teamID
                && old.signingKey == configuration.signingKey
            // The same key keeps its tokens: Apple counts new tokens, and a reload must not add one.
            if !keeps { core.tokens = tokens }
            core.configuration = configuration
            return old != configuration && old.isLike(configuration)
                ? .limitsChanged(LaneLimits(configuration)) : .reconfigured(LaneLimits(configuration))
        }
    }

    /// Gives an event to the state machine and performs its effects. Called on any thread, never with the lock held.
    func handle(_ event: (inout SenderCore) -> LaneEvent) {
        let now = clock.now()
        let wall = clock.wall()
        let (effects, deliveries, quarantines, resumed) = core.withLock { core in
            let event = event(&core)
            let effects = core.tokens.withSchedule { tokens in
                core.state.handle(event, now: now, wall: wall, tokens: &tokens)
            }
            // Stored before it is started, so that its first event finds it.
            for number in effects.dials { core.links[number] = makeLink(number, core) }
            for event in effects.log { core.notices.append(.log(event)) }
            noteStatus(&core, now: now)
            setTimer(&core, now: now)
            var resumed = core.takeReadyWaiters(now: now)
            if core.state.isDrained {
                resumed += core.drainers
                core.drainers = []
            }
            let deliveries = core.deliveries(of: effects.results)
            return (effects, deliveries, core.quarantines(on: effects.condemned), resumed)
        }
        perform(effects)
        for delivery in deliveries { delivery.onResults(delivery.results) }
        for quarantine in quarantines { quarantine.onQuarantine(quarantine.tokens) }
        for continuation in resumed { continuation.resume() }
        notify()
    }

    private func perform(_ effects: LaneEffects) {
        for number in effects.dials { link(number)?.connection.start() }
        for submission in effects.submissions { submit(submission) }
        for number in effects.closes {
            guard let link = link(number) else { continue }
            link.connection.close()
        }
    }

    private func submit(_ submission: LaneEffects.Submission) {
        let number = submission.link
        guard let link = link(number) else {
            return handle { _ in .notTaken(number, tags: submission.tags) }
        }
        do {
            let (requests, isNewToken) = try link.requests(for: submission)
            if isNewToken {
                note(.tokenMinted(keyID: link.tokens.keyID, issuedAt: submission.token.issuedAt))
            }
            for batch in requests where !link.connection.submit(batch) {
                handle { _ in .notTaken(number, tags: batch.tags) }
            }
        } catch {
            handle { _ in .unsigned(number, tags: submission.tags, why: error.description) }
        }
    }

    private func link(_ number: Int) -> SenderLink? {
        core.withLock { $0.links[number] }
    }

    /// Uses one timer. It is set again only for an earlier instant; a later timer finds nothing to do.
    private func setTimer(_ core: inout SenderCore, now: Int64) {
        if let wake = core.wake, wake <= now { core.wake = nil }
        guard let next = core.state.nextWake(now: now), next < core.wake ?? .max else { return }
        core.wake = next
        clock.wake(next) { [weak self] in
            self?.handle { core in
                // The timer may have come early. `setTimer` then sets the next one.
                if core.wake == next { core.wake = nil }
                return .tick
            }
        }
    }

    private func noteStatus(_ core: inout SenderCore, now: Int64) {
        let status = core.state.status(now: now)
        guard status != core.lastStatus else { return }
        core.lastStatus = status
        core.notices.append(.status(status))
    }

    private func note(_ event: SenderEvent) {
        core.withLock { $0.notices.append(.log(event)) }
    }

    /// Delivers notices in order and without the lock: the callee may call the sender.
    private func notify() {
        var isFirst = true
        while let notices = takeNotices(isFirst: isFirst) {
            isFirst = false
            for notice in notices {
                switch notice {
                case .log(let event): log(event)
                case .status(let status): onStateChange(status)
                }
            }
        }
    }

    /// The next notices. Nil if there are none, or if another thread delivers them.
    private func takeNotices(isFirst: Bool) -> [SenderCore.SenderNotice]? {
        core.withLock { core in
            if isFirst, core.isNotifying { return nil }
            core.isNotifying = !core.notices.isEmpty
            defer { core.notices = [] }
            return core.notices.isEmpty ? nil : core.notices
        }
    }
}
