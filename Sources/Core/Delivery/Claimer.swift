import Base
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Performs sweeps. A sweep reads the clock and the pauses, fans reminders out, drains changes and recovers orphans.
/// Then it claims due users in the ranges that this daemon owns, as long as some lane takes more.
///
/// Each batch is planned beside the next claim, and passed to the next stage.
actor Claimer {
    private let delivery: DeliveryContext
    private let decisions: DecisionStage
    private let router: LaneRouter
    private let fanOuts: FanOuts

    /// Whether the next claim starts the walk over the ranges again, or continues where the last one ended.
    private var startsOver = true
    private var walkStartedAt = BootTime.milliseconds()
    private var lookedAt: Int64 = 0
    /// When `look` last found the app's views bound to their tables.
    private var bindingSeenAt: Int64?
    private var templates: [StoredTemplate] = []
    private var areTemplatesRead = false
    /// Whether changes are waiting that the last `look` did not drain.
    private var areTouchesLeft = false
    /// Plans the users of the last claim.
    private var planning: Task<Void, Never>?
    /// When the next erasure of deleted users may start.
    private var erasesFrom: Int64 = .min

    /// The walk starts over at least this often, so that it finds users who became due behind it.
    private static let walkMilliseconds: Int64 = 30_000
    /// How often `look` checks that the app's views are bound to their tables. A table can be replaced while we run.
    private static let bindingMilliseconds: Int64 = 5_000
    /// How often a long sweep calls `look`. An urgent message waits up to this long.
    private static let lookMilliseconds: Int64 = 250
    /// If no lane takes more for this long, the sweep ends. The next sweep tries again.
    private static let patienceMilliseconds: Int64 = 1_000
    /// The longest time for one drain. A million changes at once must not delay the claims.
    private static let drainMilliseconds: Int64 = 150
    private static let touchesAtOnce = 5_000
    /// The pause after a deleted user could not be erased. A table of the app may need its whole time-out to refuse.
    private static let erasingPauseMilliseconds: Int64 = 60_000
    private static let recoveredAtOnce = 100

    init(_ router: LaneRouter, _ decisions: DecisionStage) {
        self.router = router
        self.decisions = decisions
        delivery = router.delivery
        fanOuts = FanOuts(router.delivery)
    }

    func sweep(_ run: SweepRun) async throws(PostgresError) {
        try await delivery.ownership.keep()
        try await look(run)
        try await claimAll(run)
        if !delivery.isHalted { run.endedWell() }
    }

    // MARK: What may have come

    /// Runs at the start of each sweep, and repeatedly in a long one.
    private func look(_ run: SweepRun) async throws(PostgresError) {
        lookedAt = BootTime.milliseconds()
        let checksBinding = bindingSeenAt.map { lookedAt - $0 >= Self.bindingMilliseconds } ?? true
        let look = try await delivery.store.look(now: delivery.clock.now, checksBinding: checksBinding)
        if checksBinding { bindingSeenAt = look.isUnusable ? nil : lookedAt }
        delivery.clock.anchor(databaseMicroseconds: look.clock, asked: lookedAt)
        hear(paused: look.paused)
        areTemplatesRead = false
        delivery.note(isOutdated: look.isUnusable)
        await delivery.ownership.note(isOutdated: look.isUnusable)
        guard let now = delivery.clock.now, !look.isUnusable else { return }
        if look.isAnyoneDeparted, lookedAt >= erasesFrom { try await eraseDeparted() }
        let areFanOutsLeft = look.isFanOutDue ? try await fanOuts.run(now: now) : false
        await delivery.hooks.reach(.beforeDrain)
        // A fan-out leaves touches.
        if look.isAnyoneTouched || look.isFanOutDue || areTouchesLeft { try await drain(now: now, run) }
        if areFanOutsLeft { areTouchesLeft = true }
        await delivery.hooks.reach(.afterDrain)
        await delivery.hooks.reach(.beforeRecover)
        if look.isAnyIntentLost { try await recover(run) }
        if lookedAt - walkStartedAt > Self.walkMilliseconds { startOver() }
    }

    /// Takes over the paused kinds. The commit of each intent reads the pauses again (`Store.commit`).
    private func hear(paused: Set<NudgeKind>) {
        let before = delivery.terms.planner.paused
        guard paused != before else { return }
        delivery.onEvent(.paused(paused, before: before))
        delivery.change { $0.planner.paused = paused }
    }

    /// Erases users who were deleted from auth.users. A failure stops nobody: these users are not claimed.
    private func eraseDeparted() async throws(PostgresError) {
        do throws(PostgresError) {
            guard try await delivery.store.eraseDeparted().held > 0 else { return }
        } catch {
            guard error.code == .refusedByServer else { throw error }
            delivery.onEvent(.statementFailed(error))
        }
        erasesFrom = BootTime.milliseconds() + Self.erasingPauseMilliseconds
    }

    /// A failed drain stops no other user: no intent is committed for a user with a waiting touch. But the sweep is not
    /// good.
    private func drain(now: Instant, _ run: SweepRun) async throws(PostgresError) {
        let end = BootTime.milliseconds() + Self.drainMilliseconds
        areTouchesLeft = false
        guard let share = delivery.ownership.share else { return }
        do throws(PostgresError) {
            while !delivery.isHalted {
                var refusals: [Refusal] = []
                let taken = try await delivery.store.drain(
                    member: share.member,
                    ranges: share.ranges,
                    limit: Self.touchesAtOnce,
                    now: now,
                    onChanged: { [hand = delivery.hand] in hand.noteChanged($0) }
                ) { refusals.append($0) }
                tell(refusals)
                if taken < Self.touchesAtOnce { break }
                guard BootTime.milliseconds() < end else {
                    areTouchesLeft = true
                    break
                }
            }
        } catch {
            if error.isFenced { return delivery.ownership.noteEnd(of: share.member) }
            guard error.code == .refusedByServer else { throw error }
            run.failed()
            delivery.onEvent(.statementFailed(error))
        }
    }

    /// Reports users whose changes the database refuses. The next `look` tries them again.
    private func tell(_ refusals: [Refusal]) {
        let refused = refusals.filter { !$0.isHeld }
        guard !refused.isEmpty else { return }
        delivery.onEvent(.noticed(refused.map(Notice.refused)))
    }

    /// Records the intents of dead daemons as unknown.
    private func recover(_ run: SweepRun) async throws(PostgresError) {
        var pushes = 0
        while !delivery.isHalted {
            do throws(PostgresError) {
                let found = try await delivery.store.recoverOrphans(limit: Self.recoveredAtOnce, reason: "daemon_lost")
                pushes += found.pushes
                tell(found.refused)
                if found.intents < Self.recoveredAtOnce { break }
            } catch {
                // The users of these orphans are not claimed until the orphans are recorded. All others are claimed.
                guard error.isAboutContent || error.isHeldRow else { throw error }
                delivery.onEvent(.settlementFailed(error: error.description))
                break
            }
        }
        guard pushes > 0 else { return }
        await delivery.hooks.reach(.afterRecover)
        run.count { $0.recovered += pushes }
        delivery.onEvent(.recovered(pushes: pushes))
    }

    /// Reads the templates once after each `look`, and only when somebody is due. So a change counts soon, and an idle
    /// daemon runs no query.
    private func readTemplates() async {
        guard !areTemplatesRead else { return }
        areTemplatesRead = true
        do throws(PostgresError) {
            let stored = try await delivery.store.templates()
            guard stored != templates else { return }
            templates = stored
            delivery.change { $0.planner.checkInTexts = CheckInTexts(templates: stored) }
        } catch {
            // A failed read must not keep a check-in back: the templates of the last read are used.
            delivery.onEvent(.settlementFailed(error: error.description))
        }
    }

    // MARK: Claims

    /// Claims batch after batch, ahead of the lanes, but only so far that each lane has work. A batch is planned beside
    /// the next claim.
    private func claimAll(_ run: SweepRun) async throws(PostgresError) {
        while await someLaneTakesMore() {
            if isTimeToLook { try await look(run) }
            guard !delivery.isOutdated, let now = delivery.clock.now, let share = delivery.ownership.share else {
                break
            }
            await delivery.hooks.reach(.beforeClaim)
            let limit = limit
            var refusals: [Refusal] = []
            let claimed = try await delivery.store.claim(
                ranges: share.ranges,
                now: now,
                startingOver: startsOver,
                limit: limit,
                // Read before the statement is sent, so that a user who is let go meanwhile is still skipped.
                inHand: delivery.hand.users,
                member: share.member,
                intents: delivery.hand.intents.inHand
            ) { refusals.append($0) }
            await planning?.value
            // If the membership has ended, the users that were read may belong to another daemon by now.
            guard delivery.ownership.isCurrent(share.member) else { break }
            let users = claimed.users.compactMap { user -> (ClaimedUser, HeldUser)? in
                delivery.hand.take(user, member: share.member, claimedAt: now, run: run).map { (user, $0) }
            }
            await delivery.hooks.reach(.claimed)
            let unreadable = refusals.count { [.content, .newer].contains($0.cause) }
            run.count { report in
                report.users += users.count
                if unreadable > 0 { report.resting[SweepReport.rowUnreadable, default: 0] += unreadable }
            }
            if claimed.isComplete { startOver() } else { startsOver = false }
            await delivery.setAside(refusals, member: share.member, now: now)
            if !users.isEmpty { await readTemplates() }
            planning = Task { await plan(users, now: now, member: share.member, run) }
            if claimed.isComplete, !areTouchesLeft { break }
        }
        await planning?.value
    }

    /// When all lanes are stopped, a few users are enough to find a probe.
    private var limit: Int {
        let open = delivery.lanes.all.filter { !$0.sender.isBlocked }
        let batch = delivery.terms.settings.batch
        return open.allSatisfy { $0.sender.isStopped } ? min(batch, LaneRouter.probeUsers) : batch
    }

    /// Every `lookMilliseconds`, and at once when nobody else is due and changes are left.
    private var isTimeToLook: Bool {
        areTouchesLeft && startsOver || BootTime.milliseconds() - lookedAt >= Self.lookMilliseconds
    }

    /// Waits until a lane holds no more than a batch. False: no lane takes more for a while, and the next sweep tries
    /// again.
    private func someLaneTakesMore() async -> Bool {
        let until = BootTime.milliseconds() + Self.patienceMilliseconds
        while !delivery.isHalted, BootTime.milliseconds() < until {
            let open = delivery.lanes.all.filter { !$0.sender.isBlocked }.map(\.identity)
            if open.isEmpty { return false }
            let batch = delivery.terms.settings.batch
            if open.contains(where: { delivery.queues.count($0) <= batch }) { return true }
            await delivery.queues.wait(for: open, atMost: batch, milliseconds: until - BootTime.milliseconds())
        }
        return false
    }

    private func startOver() {
        startsOver = true
        walkStartedAt = BootTime.milliseconds()
    }

    // MARK: Planning

    private typealias Unread = (user: ClaimedUser, held: HeldUser, error: Unreadable)

    /// Plans all users. Users who get nothing go to the settler, the others to their lanes.
    private func plan(_ users: [(ClaimedUser, HeldUser)], now: Instant, member: UUID, _ run: SweepRun) async {
        var rests: [Settler.Entry] = []
        var planned: [PlannedUser] = []
        var unread: [Unread] = []
        var reasons: [Reason: Int] = [:]
        // Read once: it is the same for the batch, and a copy counts two dozen references.
        let planner = delivery.terms.planner
        for (user, held) in users {
            let plan = planner.plan(user, now: now)
            if !plan.notices.isEmpty { delivery.onEvent(.noticed(plan.notices)) }
            switch plan {
            case .nothing(let rest, let reason, _):
                rests.append(.rest(rest, held))
                reasons[reason, default: 0] += 1
            case .send(let plan, _): planned.append(PlannedUser(plan: plan, held: held))
            case .unreadable(let error): unread.append((user, held, error))
            }
        }
        run.count { report in
            report.sending += planned.count
            for (reason, count) in reasons { report.resting[reason.rawValue, default: 0] += count }
        }
        let (slices, aside) = router.share(planned)
        for (lane, users) in slices { await decisions.take(users, lane) }
        await router.settler.addRests(rests)
        await evaluateLater(unread, member: member, now: now, run)
        await router.stepAside(aside)
    }

    /// Postpones users by one to two minutes if their zones could not be read, or if a newer version wrote something that
    /// this one does not know. They are neither held for a day nor planned with incomplete data.
    private func evaluateLater(_ unread: [Unread], member: UUID, now: Instant, _ run: SweepRun) async {
        guard !unread.isEmpty else { return }
        var zones: [TimeZoneError] = []
        for one in unread {
            switch one.error {
            case .zone(let error): zones.append(error)
            case .newer(let column):
                let refusal = Refusal(userID: one.user.userID, column: column, error: Refusal.newer, cause: .newer)
                delivery.onEvent(.noticed([.refused(refusal)]))
                run.count { $0.resting[SweepReport.rowUnreadable, default: 0] += 1 }
            }
        }
        if let first = zones.first {
            run.count { $0.resting[SweepReport.zonesUnread, default: 0] += zones.count }
            delivery.onEvent(.zonesUnread(first, users: zones.count))
        }
        let planner = delivery.terms.planner
        let postponements = unread.map { user, _, _ in
            let until = planner.evaluateAgainAt(user.userID, now: delivery.clock.now ?? now)
            return Postponement(userID: user.userID, version: user.version, until: until)
        }
        await delivery.postpone(postponements, member: member)
        withExtendedLifetime(unread) {}
    }
}
