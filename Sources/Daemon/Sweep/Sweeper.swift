import APNs
import Policy
package import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Performs sweeps: drain touches → claim → decide → commit intents for the streams that are free → write → settle.
///
/// The decisions are `Judge`'s; this actor orders the database's and the sender's work around them. Chunks outlive the sweep that made them: one slow
/// answer does not hold the next tick.
package actor Sweeper {
    let store: Store
    let sender: Sender
    let clock: PolicyClock
    var judge: Judge
    var settings: SweepSettings
    let onEvent: @Sendable (SweepEvent) -> Void
    let hooks: SweepHooks

    /// Leases whose chunks are not all settled: no dead daemon's.
    var livingLeases: [UUID: Int] = [:]
    /// Pushes whose intents are open.
    var openPushes = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    var isStopping = false
    /// Set when the stop's time is over: outcomes that the database does not take are left to be recorded as unknown.
    var isAbandoned = false

    private var cursor = Store.Cursor.start
    private var cursorStartedAt = BootTime.milliseconds()
    private var nextChunk: Int32 = 0

    /// The cursor starts over at least this often, so that a user who became due behind it is seen.
    private static let cursorMilliseconds: Int64 = 30_000
    private static let touchesAtOnce = 5_000
    private static let recoveredAtOnce = 100
    /// A stopped lane is probed with one push; few are claimed to find one.
    private static let probeBatch = 16

    init(
        store: Store,
        sender: Sender,
        clock: PolicyClock,
        judge: Judge,
        settings: SweepSettings,
        hooks: SweepHooks = SweepHooks(),
        onEvent: @escaping @Sendable (SweepEvent) -> Void
    ) {
        self.store = store
        self.sender = sender
        self.clock = clock
        self.judge = judge
        self.settings = settings
        self.hooks = hooks
        self.onEvent = onEvent
    }

    /// From the next sweep on.
    func reconfigure(judge: Judge, settings: SweepSettings) {
        self.judge = judge
        self.settings = settings
    }

    // MARK: A sweep

    /// Sweeps until nobody is due, or the lane takes nothing. Its report comes as `SweepEvent.finished` once its last chunk is settled.
    package func sweep() async throws(PostgresError) {
        let run = SweepRun()
        defer {
            run.isHandedOver = true
            finishIfDone(run)
        }
        clock.anchor(databaseMicroseconds: try await store.clock())
        guard let now = clock.now else { return }
        while !isStopping {
            if try await store.drain(limit: Self.touchesAtOnce, now: now) < Self.touchesAtOnce { break }
        }
        run.report.recovered += try await recover()
        try await claimAll(run)
    }

    private func recover() async throws(PostgresError) -> Int {
        var pushes = 0
        while !isStopping {
            let found = try await store.recover(except: Array(livingLeases.keys), limit: Self.recoveredAtOnce)
            pushes += found.pushes
            if found.chunks < Self.recoveredAtOnce { break }
        }
        if pushes > 0 { onEvent(.recovered(pushes: pushes)) }
        return pushes
    }

    /// Claims the next batch while this one is sent.
    private func claimAll(_ run: SweepRun) async throws(PostgresError) {
        if BootTime.milliseconds() - cursorStartedAt > Self.cursorMilliseconds { restartCursor() }
        var next = claimNext()
        defer { if let next { releaseUnseen(next) } }
        while let claim = next, !isStopping {
            next = nil
            let batch = try await value(of: claim)
            await hooks.claimed?()
            let isShort = batch.users.count + batch.unreadable.count < batch.limit
            if isShort { restartCursor() } else { advanceCursor(batch) }
            if !isShort, !isStopping { next = claimNext() }
            run.report.users += batch.users.count
            let laneTakesMore = await turn(batch, run)
            if !laneTakesMore { break }
        }
    }

    /// A claimed batch.
    struct Batch: Sendable {
        let leaseID: UUID
        let users: [ClaimedUser]
        /// Users whose rows can't be read.
        let unreadable: [UUID]
        let limit: Int
        /// The policy's now of the claim.
        let now: Instant
        /// CLOCK_BOOTTIME milliseconds, taken before the claim was asked: never later than the database's own end.
        let leaseEnd: Int64
    }

    /// A claim under way.
    private struct Claim {
        let leaseID: UUID
        let task: Task<Batch, any Error>
    }

    /// nil where the lane takes nothing.
    private func claimNext() -> Claim? {
        guard let now = clock.now, sender.freeSlots > 0 else { return nil }
        var limit = settings.batch
        if case .stopped = sender.status { limit = min(limit, Self.probeBatch) }
        let (store, cursor, lease) = (store, cursor, settings.leaseMilliseconds)
        let living = Array(livingLeases.keys)
        let leaseID = UUID()
        livingLeases[leaseID] = 1
        let task = Task {
            let leaseEnd = BootTime.milliseconds() + lease
            var unreadable: [UUID] = []
            let users = try await store.claim(
                now: now,
                after: cursor,
                limit: limit,
                leaseID: leaseID,
                leaseMilliseconds: lease,
                except: living
            ) { unreadable.append($0) }
            return Batch(
                leaseID: leaseID,
                users: users,
                unreadable: unreadable,
                limit: limit,
                now: now,
                leaseEnd: leaseEnd
            )
        }
        return Claim(leaseID: leaseID, task: task)
    }

    /// `Task` knows no typed throws; what it throws is the store's error.
    private func value(of claim: Claim) async throws(PostgresError) -> Batch {
        do { return try await claim.task.value } catch {
            retire(claim.leaseID)
            throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: "claim")
        }
    }

    /// A batch that was claimed ahead and is not sent any more goes back unchanged.
    private func releaseUnseen(_ claim: Claim) {
        Task {
            if let batch = try? await claim.task.value {
                await giveBack(batch.users.map(\.userID), leaseID: batch.leaseID)
            }
            retire(claim.leaseID)
        }
    }

    private func restartCursor() {
        cursor = .start
        cursorStartedAt = BootTime.milliseconds()
    }

    private func advanceCursor(_ batch: Batch) {
        if let last = batch.users.last { cursor = Store.Cursor(after: last) }
    }

    func takeChunkNumber() -> Int32 {
        nextChunk &+= 1
        return nextChunk
    }

    // MARK: A batch's turn

    /// Decides everyone, settles those who rest, sends to the others. Returns false where the lane takes no more.
    private func turn(_ batch: Batch, _ run: SweepRun) async -> Bool {
        defer { retire(batch.leaseID) }
        await setAside(batch.unreadable, leaseID: batch.leaseID)
        guard !batch.users.isEmpty else { return true }
        var rests = Settlement(leaseID: batch.leaseID, sweepID: run.id, fence: .none(chunk: 0))
        var nudges: [PlannedNudge] = []
        for user in batch.users {
            let judgement = judge.judge(user, now: batch.now)
            rests.records += judgement.records
            if !judgement.notices.isEmpty { onEvent(.noticed(judgement.notices)) }
            switch judgement.verdict {
            case .rest(let update, let reason):
                rests.updates.append(update)
                run.report.resting[reason.rawValue, default: 0] += 1
            case .send(let nudge): nudges.append(nudge)
            }
        }
        run.report.skipped += rests.records.count
        // Beside the sending. Where it fails, those users are claimed again when the lease ends: nothing is lost.
        async let rested = settleRests(rests)
        let laneTakesMore = await send(nudges, batch, run)
        _ = await rested
        return laneTakesMore
    }

    private func settleRests(_ rests: Settlement) async -> Settlement.Result? {
        if rests.updates.isEmpty && rests.records.isEmpty { return nil }
        return await carryOut(rests)
    }

    /// Rows that can't be read come up again in a day; where the database does not take it, when the lease ends.
    func setAside(_ users: [UUID], leaseID: UUID) async {
        guard !users.isEmpty, let now = clock.now else { return }
        onEvent(.noticed(users.map { Notice.rowUnreadable(user: $0) }))
        try? await store.postpone(users, until: now + Judge.recheckSeconds, leaseID: leaseID)
    }

    // MARK: Ends

    /// A lease without open chunks is nobody's any more.
    func retire(_ leaseID: UUID) {
        guard let count = livingLeases[leaseID] else { return }
        livingLeases[leaseID] = count > 1 ? count - 1 : nil
        if livingLeases.isEmpty { wake() }
    }

    func finishIfDone(_ run: SweepRun) {
        guard run.isHandedOver, run.openChunks == 0, !run.isReported else { return }
        run.isReported = true
        run.report.milliseconds = BootTime.milliseconds() - run.startedAt
        onEvent(.finished(id: run.id, run.report))
    }

    /// Claims nothing more; chunks under way are settled.
    package func stop() { isStopping = true }

    /// Gives up outcomes that the database does not take.
    package func abandon() {
        isAbandoned = true
        wake()
    }

    /// Returns once no intent is open.
    package func quiesce() async {
        while openPushes > 0 || !livingLeases.isEmpty {
            if isAbandoned { return }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func wake() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.resume() }
    }
}
