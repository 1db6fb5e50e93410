package import Planning
import APNs
import Policy
package import Postgres
package import Store
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// Performs sweeps: spread reminders → drain touches → claim → decide → commit intents for the streams that are free → write → settle.
///
/// The decisions are `Judge`'s; this actor orders the database's and the senders' work around them. A sweep claims and decides, and hands what is to be
/// sent to the lanes' feeds, which work side by side: a slow lane holds no other. Chunks outlive the sweep that made them: one slow answer does not hold
/// the next tick.
package actor Sweeper {
    let store: Store
    let lanes: Lanes
    package nonisolated let clock: PolicyClock
    package var judge: Judge
    var settings: SweepSettings
    /// Asked of what the rules allow to be sent; nil: nobody is.
    package var decider: Decider?
    let onEvent: @Sendable (SweepEvent) -> Void
    let hooks: SweepHooks

    /// Leases whose chunks are not all settled: no dead daemon's.
    var livingLeases: [UUID: Int] = [:]
    /// What each lane has to send.
    var feeds: [LaneIdentity: LaneFeed] = [:]
    /// Users whose nudges wait for the decision service.
    var asking = AskingLine<AskedTurn>()
    /// What it said of nudges that have not gone yet.
    var answers = AnswerMemory()
    /// Verdicts on refused devices that are on their way to the database; counted on the senders' threads.
    let openVerdicts = Mutex(0)
    var waiters: [CheckedContinuation<Void, Never>] = []
    package var isStopping = false
    /// A newer nudged has migrated the schema, and this one can't work beside it: it claims and sends nothing, as of each look.
    package private(set) var isOutdated = false
    /// Set when the stop's time is over: outcomes that the database does not take are left to be recorded as unknown.
    var isAbandoned = false
    /// Reminders for everyone that are left for a while.
    var spreadMemory = SpreadMemory()

    /// Whether the next claim starts its walk over, or goes on where the last one ended.
    private var startsOver = true
    private var walkStartedAt = BootTime.milliseconds()
    private var lookedAt: Int64 = 0
    private var nextChunk: Int32 = 0
    /// Decisions that send nothing, on their way to the database.
    private var openRests = 0
    /// Sweeps that are not over, and the sum of the others.
    var openRuns: [SweepRun] = []
    var finished = SweepReport()

    /// What check-ins can say, as it was read last.
    var templates: [StoredTemplate] = []
    /// Whether they were read since the last look.
    var areTemplatesRead = false

    /// Whether changes wait that the last look did not take.
    private var areTouchesLeft = false

    /// The walk starts over at least this often, so that a user who became due behind it is seen.
    private static let walkMilliseconds: Int64 = 30_000
    /// In a long sweep: an urgent message waits for the next look.
    private static let lookMilliseconds: Int64 = 250
    /// A lane that takes nothing for so long: the next sweep looks again.
    private static let patienceMilliseconds: Int64 = 1_000
    /// A million changes at once must not keep the claims waiting.
    private static let drainMilliseconds: Int64 = 150
    private static let touchesAtOnce = 5_000
    private static let recoveredAtOnce = 100
    /// A stopped lane is probed with one push; few are claimed to find one.
    static let probeBatch = 16

    package init(
        store: Store,
        lanes: Lanes,
        clock: PolicyClock,
        judge: Judge,
        settings: SweepSettings,
        decider: Decider? = nil,
        hooks: SweepHooks = SweepHooks(),
        onEvent: @escaping @Sendable (SweepEvent) -> Void
    ) {
        self.store = store
        self.lanes = lanes
        self.clock = clock
        self.judge = judge
        self.settings = settings
        self.decider = decider
        self.hooks = hooks
        self.onEvent = onEvent
    }

    /// From the next sweep on.
    package func reconfigure(judge: Judge, settings: SweepSettings, decider: Decider?) {
        let before = self.judge
        self.judge = judge
        self.judge.paused = before.paused
        self.judge.words = CheckInWords(standard: judge.words.standard, templates: templates)
        self.settings = settings
        self.decider = decider
        // Another service may say otherwise.
        answers.forgetAll()
        askNext()
    }

    // MARK: A sweep

    /// Pushes whose intents are open.
    package var openPushes: Int { feeds.values.reduce(0) { $0 + $1.openPushes } }

    /// Claims until nobody is due, or no lane takes anything. Its report comes as `SweepEvent.finished` once its last chunk is settled.
    ///
    /// It ends at once where this version is outdated (`isOutdated`).
    package func sweep() async throws(PostgresError) {
        let run = SweepRun()
        openRuns.append(run)
        defer {
            run.isHandedOver = true
            finishIfDone(run)
        }
        try await lookAround(run)
        try await claimAll(run)
        run.isWhole = !isHalted
    }

    /// What may have come since the last look: the database's time, the kill switch, changes, a dead daemon's intents. At each sweep's start, and again and again
    /// in a long one.
    private func lookAround(_ run: SweepRun) async throws(PostgresError) {
        lookedAt = BootTime.milliseconds()
        let look = try await store.look()
        clock.anchor(databaseMicroseconds: look.clock, asked: lookedAt)
        hear(paused: look.paused)
        areTemplatesRead = false
        isOutdated = look.isOutdated
        guard let now = clock.now, !isOutdated else { return }
        let areSpreadsLeft = try await spread(now: now)
        await hooks.reach(.beforeDrain)
        try await drain(now: now)
        if areSpreadsLeft { areTouchesLeft = true }
        await hooks.reach(.afterDrain)
        run.report.recovered += try await recover()
        if lookedAt - walkStartedAt > Self.walkMilliseconds { startOver() }
    }

    /// Changes that can't be taken now stop nobody else: no intent is committed for a user whose touch waits.
    private func drain(now: Instant) async throws(PostgresError) {
        let end = BootTime.milliseconds() + Self.drainMilliseconds
        areTouchesLeft = false
        do throws(PostgresError) {
            while !isStopping {
                if try await store.drain(limit: Self.touchesAtOnce, now: now) < Self.touchesAtOnce { break }
                guard BootTime.milliseconds() < end else {
                    areTouchesLeft = true
                    break
                }
            }
        } catch {
            guard error.code == .refusedByServer else { throw error }
            onEvent(.settlementFailed(error: error.description))
        }
    }

    private func recover() async throws(PostgresError) -> Int {
        var pushes = 0
        await hooks.reach(.beforeRecover)
        while !isStopping {
            guard let found = try await recoverSome() else { break }
            pushes += found.pushes
            if found.chunks < Self.recoveredAtOnce { break }
        }
        if pushes > 0 {
            await hooks.reach(.afterRecover)
            onEvent(.recovered(pushes: pushes))
        }
        return pushes
    }

    /// nil: somebody holds one of their rows; the next look tries again, and the sweep goes on.
    private func recoverSome() async throws(PostgresError) -> (chunks: Int, pushes: Int)? {
        do throws(PostgresError) {
            return try await store.recover(except: Array(livingLeases.keys), limit: Self.recoveredAtOnce)
        } catch {
            guard error.sqlState == "55P03" else { throw error }
            onEvent(.settlementFailed(error: error.description))
            return nil
        }
    }

    /// Claims batch after batch, ahead of what the lanes send, but only so far that each has work.
    private func claimAll(_ run: SweepRun) async throws(PostgresError) {
        while await someLaneTakesMore() {
            if isTimeToLook { try await lookAround(run) }
            guard !isOutdated else { break }
            await hooks.reach(.beforeClaim)
            guard let batch = try await claim() else { break }
            await hooks.reach(.claimed)
            run.report.users += batch.users.count
            let isShort = batch.users.count + batch.unreadable.count < batch.limit
            if isShort { startOver() } else { startsOver = false }
            if !batch.users.isEmpty { await readTemplates() }
            await turn(batch, run)
            if isShort, !areTouchesLeft { break }
        }
    }

    /// Where nobody is due any more and changes are left, at once.
    private var isTimeToLook: Bool {
        areTouchesLeft && startsOver || BootTime.milliseconds() - lookedAt >= Self.lookMilliseconds
    }

    /// Waits until a lane has little left to send; false where none takes anything for a while: the next sweep looks again.
    private func someLaneTakesMore() async -> Bool {
        let until = BootTime.milliseconds() + Self.patienceMilliseconds
        while !isHalted, BootTime.milliseconds() < until {
            let open = lanes.all.filter { !$0.sender.isBlocked }
            if open.isEmpty { return false }
            let wantsMore = open.contains { (feeds[$0.identity]?.backlog ?? 0) <= lowWater }
            if wantsMore, openRests < Self.restsAtOnce { return true }
            let timer = Task {
                try await Task.sleep(for: .milliseconds(Self.patienceMilliseconds))
                wake()
            }
            await withCheckedContinuation { waiters.append($0) }
            timer.cancel()
        }
        return false
    }

    /// A lane with so few users left is given more.
    var lowWater: Int { settings.batch / 2 }
    /// A lane with so many users left is crowded: what comes for it beyond steps aside.
    var highWater: Int { 2 * settings.batch }
    private static let restsAtOnce = 2

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

    private func claim() async throws(PostgresError) -> Batch? {
        guard let now = clock.now else { return nil }
        let open = lanes.all.filter { !$0.sender.isBlocked }
        let limit = open.allSatisfy { $0.sender.isStopped } ? min(settings.batch, Self.probeBatch) : settings.batch
        let leaseID = UUID()
        livingLeases[leaseID] = 1
        // This one as well: a claim that takes long must not find again whom it took first.
        let living = Array(livingLeases.keys)
        let leaseEnd = BootTime.milliseconds() + settings.leaseMilliseconds
        var unreadable: [UUID] = []
        do throws(PostgresError) {
            let users = try await store.claim(
                now: now,
                startingOver: startsOver,
                limit: limit,
                leaseID: leaseID,
                leaseMilliseconds: settings.leaseMilliseconds,
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
        } catch {
            retire(leaseID)
            throw error
        }
    }

    /// Nothing is begun any more; what was given to the lanes goes back.
    var isHalted: Bool { isStopping || isOutdated }

    private func startOver() {
        startsOver = true
        walkStartedAt = BootTime.milliseconds()
    }

    func takeChunkNumber() -> Int32 {
        nextChunk &+= 1
        return nextChunk
    }

    // MARK: A batch's turn

    /// Decides everyone, settles those who rest, hands the others' turns to their lanes.
    private func turn(_ batch: Batch, _ run: SweepRun) async {
        defer { retire(batch.leaseID) }
        await setAside(batch.unreadable.map { ($0, nil) }, leaseID: batch.leaseID)
        guard !batch.users.isEmpty else { return }
        var rests = Settlement(leaseID: batch.leaseID, sweepID: run.id, fence: .none)
        var turns: [PlannedTurn] = []
        var undecided: [Undecided] = []
        // The same for all of the batch, and not two dozen references counted for each.
        let judge = judge
        for user in batch.users {
            let judgement = judge.judge(user, now: batch.now)
            if !judgement.notices.isEmpty { onEvent(.noticed(judgement.notices)) }
            switch judgement.verdict {
            case .rest(let rest):
                rests.updates.append(rest.update)
                rests.records += rest.records
                rests.ended += rest.ended.compactMap { MessageReference(userID: user.userID, $0) }
                rests.continued += rest.continued
                run.report.resting[rest.reason.rawValue, default: 0] += 1
            case .send(let turn):
                turns.append(turn)
                run.report.sending += 1
            case .ask(let error): undecided.append((user, error))
            }
        }
        let aside = share(turns, batch, run)
        settleBeside(rests, run)
        await askAgain(undecided, batch, run)
        await stepAside(aside, leaseID: batch.leaseID)
    }

    /// Beside the claims and the sending. Where it fails, those users are claimed again when the lease ends: nothing is lost.
    func settleBeside(_ rests: Settlement, _ run: SweepRun) {
        if rests.updates.isEmpty && rests.records.isEmpty { return }
        for record in rests.records { run.report.record.enter(record) }
        openRests += 1
        livingLeases[rests.leaseID, default: 0] += 1
        Task {
            await hooks.reach(.beforeRest)
            _ = await carryOut(rests)
            await hooks.reach(.afterRest)
            openRests -= 1
            retire(rests.leaseID)
            wake()
        }
    }

    /// Rows that can't be read come up again in a day; where the database does not take it, when the lease ends.
    func setAside(_ users: [(id: UUID, version: Int64?)], leaseID: UUID) async {
        guard !users.isEmpty, let now = clock.now else { return }
        await hooks.reach(.beforeSetAside)
        onEvent(.noticed(users.map { Notice.rowUnreadable(user: $0.id) }))
        let until = now + Judge.recheckSeconds
        try? await store.postpone(
            users.map { Postponement(userID: $0.id, version: $0.version, until: until) },
            leaseID: leaseID
        )
    }
}
