import Base
import Postgres
import Synchronization

import struct FoundationEssentials.UUID

/// Which users this daemon owns: it is a member, and members own ranges of the hash of `user_id`. Joins, renews the
/// lease, takes free ranges, declares other members dead, and leaves. All stages read the result.
package actor Ownership {
    private struct View: Sendable {
        var share: Membership?
        /// CLOCK_BOOTTIME milliseconds. Never later than the lease's end in the database.
        var leaseEnd: Int64 = .min
        /// Nothing is claimed while the daemon leaves.
        var isLeaving = false
    }

    private let store: Store
    private let hand: Hand
    private let hooks: SweepHooks
    private let onEvent: EventSink
    private let view = Mutex(View())
    private let daemonID: UUID
    private var leaseMilliseconds: Int64
    private var keeper: Task<Void, Never>?
    private var nextRenewal: Int64 = .min
    private var isAskedToRejoin = false
    /// CLOCK_BOOTTIME milliseconds. It leaves to join again, but stays if users are still in hand at that time.
    private var leavesBy: Int64?
    /// CLOCK_BOOTTIME milliseconds. The daemon does not try to join again before.
    private var staysUntil: Int64 = .min
    private var isClosed = false
    /// See `DeliveryContext.isOutdated`.
    private var isOutdated = false
    private var current: Task<Result<Void, PostgresError>, Never>?
    private var ended = EndedLeases()

    init(_ store: Store, _ hand: Hand, _ hooks: SweepHooks, lease: Int64, daemon: UUID, onEvent: @escaping EventSink) {
        (self.store, self.hand, self.hooks) = (store, hand, hooks)
        (leaseMilliseconds, daemonID, self.onEvent) = (lease, daemon, onEvent)
    }

    // MARK: What others ask

    /// What is owned. nil: nothing may be claimed now.
    nonisolated var share: Membership? { view.withLock { $0.isLeaving ? nil : $0.share } }

    /// What is owned, also while the daemon leaves.
    nonisolated var membership: Membership? { view.withLock(\.share) }

    /// Whether users who were claimed under this membership may still be sent to and settled.
    nonisolated func isCurrent(_ member: UUID) -> Bool { view.withLock { $0.share?.member == member } }

    /// CLOCK_BOOTTIME milliseconds: one response time-out and a margin before another daemon could act for the user.
    nonisolated func lastWrite(_ member: UUID, response: Int64) -> Int64 {
        view.withLock { view in
            guard view.share?.member == member else { return .min }
            return view.leaseEnd - response - SweepSettings.marginMilliseconds
        }
    }

    /// Notes that a membership has ended. What was claimed under it can't be recorded any more.
    nonisolated func noteEnd(of member: UUID) {
        view.withLock { view in
            guard view.share?.member == member else { return }
            view.share = nil
            view.leaseEnd = .min
        }
    }

    func setLease(milliseconds: Int64) { leaseMilliseconds = milliseconds }

    // MARK: Keeping it

    /// Joins if this daemon is no member, and renews if it is time. The first call starts a task that repeats this.
    func keep() async throws(PostgresError) {
        guard !isClosed else { return }
        if keeper == nil { keeper = Task { await keepOn() } }
        guard membership == nil || BootTime.milliseconds() >= nextRenewal else { return }
        // One attempt at a time. A concurrent caller gets the result of the one that runs.
        if let current { return try await current.value.get() }
        let task = Task { await attempt() }
        current = task
        let result = await task.value
        current = nil
        try result.get()
    }

    /// Renews now, even if it is not time. A commit waits for it.
    func renewNow() async throws(PostgresError) {
        nextRenewal = .min
        try await keep()
    }

    /// Independent of the sweeps: a sweep that waits for the database, or runs for minutes, must not cost the lease.
    private func keepOn() async {
        while !isClosed {
            try? await Task.sleep(for: .milliseconds(min(1000, period)))
            // The sweep reports a database that does not answer.
            try? await keep()
            await rejoinIfAsked()
            // An outdated daemon runs no sweeps, and users may have been in hand at the last try.
            if isOutdated { await note(isOutdated: true) }
        }
    }

    /// For so long a member may renew a lease that was found to have ended. Its daemon may be on its way back to the
    /// database, mostly within five seconds (`Database`), or the database's clock has jumped.
    private var patience: Int64 { hooks.renewalMilliseconds.map { 2 * $0 } ?? max(8_000, period + 2_000) }

    private var period: Int64 { hooks.renewalMilliseconds ?? max(100, leaseMilliseconds / 6) }

    private func attempt() async -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            // A user is never in hand under two memberships. Don't wait here: the caller may have users in hand.
            if membership == nil, hand.isEmpty, !isClosed, !isOutdated {
                let joined = try await newMembership()
                view.withLock { $0 = joined }
            }
            try await renew()
            // Intents that this daemon doesn't know become orphans, which are recorded before their users are claimed.
            if let member = membership?.member {
                let strays = hand.intents.strays(among: try await store.intents(of: member))
                if !strays.isEmpty { try await store.orphan(strays, of: member) }
            }
            try await declareDead()
            return .success(())
        } catch {
            // The others may have lost the database, too.
            ended = EndedLeases()
            return .failure(error)
        }
    }

    private func newMembership() async throws(PostgresError) -> View {
        let member = UUID.random()
        await hooks.reach(.beforeJoin)
        let (asked, lease) = (BootTime.milliseconds(), leaseMilliseconds)
        try await store.join(member, daemon: daemonID, leaseMilliseconds: lease)
        await hooks.reach(.afterJoin)
        return View(share: Membership(member: member, owners: [:], living: [member]), leaseEnd: asked + lease)
    }

    private func renew() async throws(PostgresError) {
        guard let member = membership?.member else { return }
        // A reload may change the lease during the query.
        let (asked, lease) = (BootTime.milliseconds(), leaseMilliseconds)
        guard let found = try await store.renew(member, leaseMilliseconds: lease) else {
            noteEnd(of: member)
            nextRenewal = .min
            onEvent(.membershipEnded)
            return
        }
        nextRenewal = asked + period
        let isNews = view.withLock { view -> Bool in
            guard let before = view.share, before.member == member else { return false }
            view.share = found
            view.leaseEnd = asked + lease
            return before.ranges != found.ranges || before.living.count != found.living.count
        }
        if isNews { onEvent(.ownership(ranges: found.ranges.count, members: found.living.count)) }
        // Only if two renewals in a row say so: a daemon that has just joined may be about to take free ranges.
        if found.shouldRejoin, isAskedToRejoin, leavesBy == nil, asked >= staysUntil {
            view.withLock { $0.isLeaving = true }
            leavesBy = asked + lease / 2
        }
        isAskedToRejoin = found.shouldRejoin
    }

    private func declareDead() async throws(PostgresError) {
        guard let member = membership?.member else { return }
        await hooks.reach(.beforeDeath)
        let found = try await store.endedMembers(except: member)
        let late = ended.dead(found, now: BootTime.milliseconds(), patience: patience)
        let dead = try await store.declareDead(late)
        guard dead > 0 else { return }
        await hooks.reach(.afterDeath)
        onEvent(.membersDeclaredDead(dead))
        // The ranges of dead members are free now.
        try await renew()
    }

    // MARK: Leaving

    /// Leaves in good order, when nobody is in hand. If the database does not accept it, the lease ends by itself.
    func leave() async {
        isClosed = true
        keeper?.cancel()
        view.withLock { $0.isLeaving = true }
        _ = await current?.value
        if let member = membership?.member, !hand.isAbandoned, await giveUp(member) { noteEnd(of: member) }
    }

    /// Gives up the ranges of an outdated daemon when nobody is in hand, so that others can take them.
    func note(isOutdated: Bool) async {
        self.isOutdated = isOutdated
        guard isOutdated, let member = membership?.member, hand.isEmpty else { return }
        if await giveUp(member) { noteEnd(of: member) }
    }

    /// Leaves and joins again with a fair share, when nobody is in hand. It is called when this daemon owns too many
    /// ranges and another too few. It joins first: without it, the others would take all its ranges.
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
        view.withLock { view in if let joined, hasLeft { view = joined } else { view.isLeaving = false } }
        // Drop the unused membership: it would lower every daemon's share until its lease ends.
        if let unused = joined?.share?.member, !hasLeft { _ = try? await store.leave(unused) }
        nextRenewal = .min
        try? await keep()
    }

    /// Ends a membership. False: an intent is open (not a withdrawn one), or no answer came: the lease ends by itself.
    private func giveUp(_ member: UUID) async -> Bool {
        await hooks.reach(.beforeLeave)
        let hasEnded = (try? await store.leave(member)) ?? false
        await hooks.reach(.afterLeave)
        return hasEnded
    }
}

/// Members whose lease has ended, each with the time at which that was found, in milliseconds.
struct EndedLeases {
    private var since: [UUID: Int64] = [:]

    /// - Parameter found: all whose lease has ended now. Others have renewed theirs.
    /// - Returns: those whose lease was found to have ended so long ago, at each look since then.
    mutating func dead(_ found: Set<UUID>, now: Int64, patience: Int64) -> Set<UUID> {
        since = found.reduce(into: [:]) { $0[$1] = since[$1] ?? now }
        return found.filter { now - (since[$0] ?? now) >= patience }
    }
}
