package import HTTP2
import Base

/// Sends pushes over the connections of one lane: one (key, environment, topic).
///
/// `LaneState` decides. This class performs: it opens and closes connections, writes requests and calls back. Every
/// push has exactly one result, if the sender lives until `drain` returns. All methods may be called on any thread.
package final class Sender: Sendable {
    let core: Mutex<SenderCore>
    let clock: SenderClock
    private let resolver: NameLookup.Resolver?
    private let log: @Sendable (SenderEvent) -> Void

    /// A sender without a connection. `jitter`: a random number from 0 to 1, for back-offs. `resolver`: for tests.
    /// `log` gets events in order, on any thread, and must not block.
    package init(
        configuration: SenderConfiguration,
        clock: SenderClock = .system,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        resolver: NameLookup.Resolver? = nil,
        log: @escaping @Sendable (SenderEvent) -> Void
    ) {
        (self.clock, self.resolver, self.log) = (clock, resolver, log)
        core = Mutex(SenderCore(LaneState(configuration, jitter: jitter)))
    }

    deinit { core.withLock { core in core.connections.values.forEach { $0.close() } } }

    /// Sends each push of a batch once.
    ///
    /// - Parameters:
    ///   - onQuarantine: Gets the pushes whose devices are to be quarantined for this environment and topic, at most a
    ///     minute after their results. Not called if the lane stops or drains before: they are retried later.
    ///   - onResults: Gets each slot exactly once, several in a call, on any thread, possibly before `send` returns.
    ///     Must not block.
    package func send(
        _ pushes: PushBatch,
        onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void = { _ in },
        onResults: @escaping @Sendable ([PushResult]) -> Void
    ) {
        guard pushes.count > 0 else { return }
        handle { _ in .send(pushes, PushReceiver(RefusalReceiver(onQuarantine), onResults: onResults)) }
    }

    /// Closes the window of answers now, because nothing more is sent for a while. `onQuarantine` is called before this
    /// returns. Returns false if no refused token was in the window.
    package func concludeWindow() -> Bool {
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
    package var freeSlots: Int {
        let now = clock.now()
        return core.withLock { $0.state.freeSlots(now: now) }
    }

    package var status: LaneStatus {
        let now = clock.now()
        return core.withLock { $0.state.status(now: now) }
    }

    package var server: SenderConfiguration.Endpoint { core.withLock { $0.state.configuration.server } }

    /// Takes a new key, endpoint or limits. Pushes in flight end on their old connections, and a stopped lane resumes.
    /// If only limits or time-outs change, connections, stop and back-off stay.
    package func reconfigure(_ configuration: SenderConfiguration) { handle { _ in .configured(configuration) } }

    /// Waits until `freeSlots` is at least `minimum`, or all that the lane can have, until `deadline` (milliseconds of
    /// CLOCK_BOOTTIME), the task's cancellation or a drain. Returns `freeSlots`.
    package func waitForFreeSlots(atLeast minimum: Int, until deadline: Int64) async -> Int {
        let id = core.withLock { $0.newWaiter() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = clock.now()
                let waits = core.withLock { core in
                    // If the task was cancelled before this, the cancellation handler found no waiter to wake.
                    guard !core.isReady(minimum: minimum, now: now), now < deadline, core.state.phase != .draining,
                        !Task.isCancelled
                    else { return false }
                    core.waiters[id] = (minimum, continuation)
                    return true
                }
                guard waits else { return continuation.resume() }
                clock.wake(deadline) { [weak self] in self?.endWait(id) }
                // Check again: slots may have become free before the waiter was registered.
                handle { _ in .tick }
            }
        } onCancel: {
            endWait(id)
        }
        return freeSlots
    }

    private func endWait(_ id: UInt64) { core.withLock { $0.waiters.removeValue(forKey: id)?.continuation }?.resume() }

    /// Waiting and later pushes are unsent. Those in flight have until `deadline` (milliseconds of CLOCK_BOOTTIME),
    /// then they end as unknown. Returns when every push has its result and every connection is closed.
    package func drain(deadline: Int64) async {
        await withCheckedContinuation { continuation in
            handle { core in
                core.drainers.append(continuation)
                return .drain
            }
            clock.wake(deadline) { [weak self] in
                self?.handle { _ in .cutOff }
            }
        }
    }

    // MARK: Events and effects

    /// Gives an event to the state machine and performs its effects. Called on any thread, never with the lock held.
    private func handle(_ event: (inout SenderCore) -> LaneEvent) {
        let now = clock.now()
        let wall = clock.wall()
        let (effects, templates, connections, timer, ready) = core.withLock { core in
            let effects = core.state.handle(event(&core), now: now, wall: wall)
            // Stored before it is started, so that its first event finds it.
            for number in effects.dials { core.connections[number] = connection(number, core.state.configuration) }
            core.events += effects.log
            let templates = effects.submissions.map { submission in
                Result { () throws(APNsError) in try core.template(for: submission) }
            }
            return (effects, templates, core.connections, core.nextTimer(now: now), core.takeReady(now: now))
        }
        if let timer {
            clock.wake(timer) { [weak self] in
                self?.handle { core in
                    core.timerCame(timer)
                    return .tick
                }
            }
        }
        for number in effects.dials { connections[number]?.start() }
        for (submission, template) in zip(effects.submissions, templates) {
            let (number, tags) = (submission.link, submission.tags)
            switch template {
            case .success(let template):
                let (requests, slots) = (submission.pushes.requests, submission.slots)
                let isTaken = connections[number]?.submit(requests, slots, template, firstTag: submission.firstTag)
                if isTaken != true { handle { _ in .notTaken(number, tags) } }
            case .failure(let error): handle { _ in .unsigned(number, tags, why: error.description) }
            }
        }
        for number in effects.closes { connections[number]?.close() }
        for delivery in effects.deliveries { delivery.receiver.onResults(delivery.results) }
        for (_, suspects) in Dictionary(grouping: effects.condemned, by: { ObjectIdentifier($0.receiver) }) {
            suspects.first?.receiver.onQuarantine(suspects.map(\.token))
        }
        for continuation in ready { continuation.resume() }
        tell()
    }

    private func connection(_ number: Int, _ configuration: SenderConfiguration) -> ClientConnection {
        var client = configuration.client
        client.maximumStreams = configuration.maxInFlight
        client.label = "apns-\(number)"
        return ClientConnection(configuration: client, resolver: resolver) { [weak self] event in
            self?.handle { core in
                if case .closed = event { core.connections[number] = nil }
                return .connection(number, event)
            }
        }
    }

    /// Delivers events in order and without the lock: the callee may call the sender.
    private func tell() {
        var isFirst = true
        while let events = core.withLock({ $0.takeEvents(isFirst: isFirst) }) {
            isFirst = false
            events.forEach(log)
        }
    }
}
