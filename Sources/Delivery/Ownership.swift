import Planning
import Postgres
import Store
import Synchronization

package import struct FoundationEssentials.UUID

/// Which users are this daemon's: it is a member of those who share the work, and owns ranges of the hash of `user_id`. Joins, renews the membership, takes
/// free ranges, declares others dead, and leaves; what the database says is kept here for every stage to read.
package actor Ownership {
    /// What this daemon owns now.
    package struct Share: Sendable, Equatable {
        package let member: UUID
        /// Sorted.
        package let ranges: [Int32]
        /// Members that live, this one included.
        package let members: Int
    }

    private struct View: Sendable {
        var share: Share?
        /// CLOCK_BOOTTIME milliseconds: never later than the database's own end of the lease.
        var leaseEnd: Int64 = .min
        /// Nothing is claimed while the daemon leaves.
        var isLeaving = false
    }

    private let store: Store
    private let hand: Hand
    private let hooks: SweepHooks
    private let onEvent: @Sendable (SweepEvent) -> Void
    private let view = Mutex(View())
    private let daemonID: UUID
    private var leaseMilliseconds: Int64
    private var keeper: Task<Void, Never>?
    private var nextRenewal: Int64 = .min
    private var isAskedToRejoin = false
    /// While it leaves to join again: when it goes on with its old membership instead, since somebody is in hand still.
    private var leavesBy: Int64?
    /// It does not try again before.
    private var staysUntil: Int64 = .min
    private var isClosed = false
    /// A newer nudged has migrated the schema, and this one can't work beside it.
    private var isOutdated = false
    private var current: Task<Result<Void, PostgresError>, Never>?

    init(
        store: Store,
        hand: Hand,
        leaseMilliseconds: Int64,
        hooks: SweepHooks,
        daemonID: UUID,
        onEvent: @escaping @Sendable (SweepEvent) -> Void
    ) {
        self.store = store
        self.hand = hand
        self.leaseMilliseconds = leaseMilliseconds
        self.hooks = hooks
        self.daemonID = daemonID
        self.onEvent = onEvent
    }

    // MARK: What others ask

    /// What is owned; nil: nothing may be claimed now.
    nonisolated var share: Share? { view.withLock { $0.isLeaving ? nil : $0.share } }

    /// The same, also while the daemon leaves.
    nonisolated var membership: Share? { view.withLock(\.share) }

    /// Whether what was claimed under a membership may still be sent and recorded.
    nonisolated func isCurrent(_ member: UUID) -> Bool { view.withLock { $0.share?.member == member } }

    /// The last instant (CLOCK_BOOTTIME milliseconds) at which a push may be written: one response deadline and a margin before the lease ends. Later,
    /// another daemon could act on the same user meanwhile.
    nonisolated func lastWrite(_ member: UUID, response: Int64) -> Int64 {
        view.withLock { view in
            guard view.share?.member == member else { return .min }
            return view.leaseEnd - response - SweepSettings.marginMilliseconds
        }
    }

    /// The database refused a write: the membership is over. What is in hand can't be recorded any more.
    nonisolated func noteEnd(of member: UUID) {
        view.withLock { view in
            guard view.share?.member == member else { return }
            view.share = nil
            view.leaseEnd = .min
        }
    }

    func setLease(milliseconds: Int64) { leaseMilliseconds = milliseconds }

    // MARK: Keeping it

    /// Joins where this daemon is no member, and renews where it is time. From the first call on, it does so by itself as well.
    func keep() async throws(PostgresError) {
        guard !isClosed else { return }
        if keeper == nil { keeper = Task { await keepOn() } }
        guard membership == nil || BootTime.milliseconds() >= nextRenewal else { return }
        try await once { await self.attempt() }
    }

    /// Renews now, whatever the time: a commit waits for it.
    func renewNow() async throws(PostgresError) {
        nextRenewal = .min
        try await keep()
    }

    /// Beside the sweeps: one that waits for the database, or goes on for minutes, must not cost the lease.
    private func keepOn() async {
        while !isClosed {
            try? await Task.sleep(for: .milliseconds(min(1000, period)))
            // A database that is away has the sweep's line.
            try? await keep()
            await rejoinIfAsked()
            // Its sweeps have ended, and somebody may have been in hand then.
            if isOutdated { await note(isOutdated: true) }
        }
    }

    private var period: Int64 { max(100, leaseMilliseconds / 6) }

    /// One attempt at a time: who comes meanwhile gets its result.
    private func once(_ body: @escaping @Sendable () async -> Result<Void, PostgresError>) async throws(PostgresError) {
        if let current { return try await current.value.get() }
        let task = Task { await body() }
        current = task
        let result = await task.value
        current = nil
        try result.get()
    }

    private func attempt() async -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            if membership == nil { try await join() }
            try await renew()
            try await orphanStrays()
            try await bury()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func join() async throws(PostgresError) {
        // What was claimed under an ended membership is through before another begins: a user is never in hand under two. Nobody waits for that here, since who
        // calls may have users in hand; the next call tries again.
        guard hand.isEmpty, !isClosed, !isOutdated else { return }
        let joined = try await newMembership()
        view.withLock { $0 = joined }
    }

    /// A membership that owns nothing yet.
    private func newMembership() async throws(PostgresError) -> View {
        let member = UUID()
        await hooks.reach(.beforeJoin)
        let (asked, lease) = (BootTime.milliseconds(), leaseMilliseconds)
        try await store.join(member, daemon: daemonID, leaseMilliseconds: lease)
        await hooks.reach(.afterJoin)
        return View(share: Share(member: member, ranges: [], members: 1), leaseEnd: asked + lease)
    }

    private func renew() async throws(PostgresError) {
        guard let member = membership?.member else { return }
        // A reload may change it while the database is asked.
        let (asked, lease) = (BootTime.milliseconds(), leaseMilliseconds)
        guard let found = try await store.renew(member, leaseMilliseconds: lease) else {
            noteEnd(of: member)
            nextRenewal = .min
            onEvent(.membershipEnded)
            return
        }
        nextRenewal = asked + period
        let share = Share(member: member, ranges: found.ranges, members: found.living.count)
        let isNews = view.withLock { view -> Bool in
            guard view.share?.member == member else { return false }
            let isNews = view.share?.ranges != share.ranges || view.share?.members != share.members
            view.share = share
            view.leaseEnd = asked + lease
            return isNews
        }
        if isNews { onEvent(.ownership(ranges: share.ranges.count, members: share.members)) }
        // Seen twice: a daemon that has just come is about to take what is free.
        if found.shouldRejoin, isAskedToRejoin, leavesBy == nil, asked >= staysUntil {
            view.withLock { $0.isLeaving = true }
            leavesBy = asked + lease / 2
        }
        isAskedToRejoin = found.shouldRejoin
    }

    /// Intents of ours that nobody here works on: a promoted standby had not got their settlement. They are recorded as unknown before their users are claimed.
    private func orphanStrays() async throws(PostgresError) {
        guard let member = membership?.member else { return }
        let strays = hand.intents.strays(among: try await store.intents(of: member))
        if !strays.isEmpty { try await store.orphan(strays, of: member) }
    }

    private func bury() async throws(PostgresError) {
        guard let member = membership?.member else { return }
        await hooks.reach(.beforeBury)
        let dead = try await store.bury(except: member)
        guard dead > 0 else { return }
        await hooks.reach(.afterBury)
        onEvent(.membersBuried(dead))
        // Their ranges are free.
        try await renew()
    }

    // MARK: Leaving

    /// Leaves in good order, once nobody is in hand. Where the database does not take it, the lease ends by itself.
    func leave() async {
        isClosed = true
        keeper?.cancel()
        view.withLock { $0.isLeaving = true }
        _ = await current?.value
        if let member = membership?.member, !hand.isAbandoned, await giveUp(member) { noteEnd(of: member) }
    }

    /// An outdated daemon serves nobody: once nobody is in hand, its ranges are free for others.
    func note(isOutdated: Bool) async {
        self.isOutdated = isOutdated
        guard isOutdated, let member = membership?.member, hand.isEmpty else { return }
        if await giveUp(member) { noteEnd(of: member) }
    }

    /// This daemon owns more than its share, and another too little: once nobody is in hand, it leaves, and joins anew with its share only. It joins first: the
    /// others' shares would be larger without it, and they would take all.
    private func rejoinIfAsked() async {
        guard let end = leavesBy, !isClosed else { return }
        guard let old = membership?.member, hand.isEmpty else {
            guard membership == nil || BootTime.milliseconds() > end else { return }
            view.withLock { $0.isLeaving = false }
            leavesBy = nil
            staysUntil = end + 10 * leaseMilliseconds
            return
        }
        leavesBy = nil
        isAskedToRejoin = false
        let joined = try? await newMembership()
        let hasLeft = joined != nil ? await giveUp(old) : false
        view.withLock { view in
            if let joined, hasLeft { view = joined } else { view.isLeaving = false }
        }
        // Nobody's: it would lower everybody's share until its lease ends.
        if let unused = joined?.share?.member, !hasLeft { _ = try? await store.leave(unused) }
        nextRenewal = .min
        try? await keep()
    }

    /// Ends a membership. False: an intent is open, whose place a withdrawal keeps, or there is no answer. The lease ends by itself.
    private func giveUp(_ member: UUID) async -> Bool {
        await hooks.reach(.beforeLeave)
        let hasEnded = (try? await store.leave(member)) ?? false
        await hooks.reach(.afterLeave)
        return hasEnded
    }
}
