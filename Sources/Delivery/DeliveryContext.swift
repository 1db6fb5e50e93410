import Planning
import APNs
import Postgres
import Store
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// What the stages share: the database, the lanes' senders, the clock, what is in hand and in flight, and the rules that are in force now.
final class DeliveryContext: Sendable {
    /// From the configuration, the pauses and the templates. Replaced whole.
    struct Terms: Sendable {
        var planner: Planner
        var settings: SweepSettings
        /// The decision service; nil: none is configured.
        var decider: Decider?
    }

    let store: Store
    let lanes: Lanes
    let clock: PolicyClock
    let ownership: Ownership
    let hand: Hand
    let hooks: SweepHooks
    let onEvent: @Sendable (SweepEvent) -> Void
    let queues = LaneQueues()
    let room = FlightRoom()
    let answers = Answers()
    private let current: Mutex<Terms>
    private let halt = Mutex((isStopping: false, isOutdated: false))
    private let lastFraction = Mutex<Int32>(0)

    init(
        store: Store,
        lanes: Lanes,
        clock: PolicyClock,
        ownership: Ownership,
        hand: Hand,
        terms: Terms,
        hooks: SweepHooks,
        onEvent: @escaping @Sendable (SweepEvent) -> Void
    ) {
        self.store = store
        self.lanes = lanes
        self.clock = clock
        self.ownership = ownership
        self.hand = hand
        self.hooks = hooks
        self.onEvent = onEvent
        current = Mutex(terms)
    }

    var terms: Terms { current.withLock { $0 } }

    func change(_ body: (inout Terms) -> Void) { current.withLock { body(&$0) } }

    /// Nothing is begun any more.
    var isHalted: Bool { halt.withLock { $0.isStopping || $0.isOutdated } }

    var isStopping: Bool { halt.withLock(\.isStopping) }

    /// A newer nudged has migrated the schema, and this one can't work beside it: nothing is claimed or sent.
    var isOutdated: Bool { halt.withLock(\.isOutdated) }

    func stop() { halt.withLock { $0.isStopping = true } }

    func note(isOutdated: Bool) { halt.withLock { $0.isOutdated = isOutdated } }

    /// The next intent's microseconds: two attempts of one second are two rows of the record.
    func nextFraction() -> Int32 {
        lastFraction.withLock { last in
            last = (last + 1) % 1_000_000
            return last
        }
    }

    // MARK: Later

    /// Users are due again later; who was changed meanwhile stays due. Where the database does not take it, they are due as they are.
    func postpone(_ postponements: [Postponement], member: UUID) async {
        guard !postponements.isEmpty else { return }
        do throws(PostgresError) {
            try await store.postpone(postponements, member: member)
        } catch {
            if error.isFenced { ownership.noteEnd(of: member) }
        }
    }

    /// Users whom the database refuses because of their content are due again in a day, or once something of theirs changes.
    func setAside(_ refusals: [Refusal], member: UUID, now: Instant) async {
        let refused = refusals.filter { !$0.isHeld }
        guard !refused.isEmpty else { return }
        await hooks.reach(.beforeSetAside)
        onEvent(.noticed(refused.map { Notice.rowUnreadable(user: $0.userID, column: $0.column, error: $0.error) }))
        let until = now + Planner.recheckSeconds
        await postpone(
            refused.map { Postponement(userID: $0.userID, version: nil, until: until) },
            member: member
        )
    }
}

/// What the decision service said of nudges that have not gone yet (`AnswerMemory`), for the stages that ask and forget.
final class Answers: Sendable {
    private let memory = Mutex(AnswerMemory())

    func withLock<Result: Sendable>(_ body: (inout AnswerMemory) -> Result) -> Result { memory.withLock { body(&$0) } }

    /// What went, or ended, is not decided again.
    func forget(_ plan: SendPlan) {
        memory.withLock { memory in
            for nudge in plan.nudges { memory.forget(plan.userID, nudge.identity) }
        }
    }
}
