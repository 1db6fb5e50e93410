import Planning
import APNs
import Policy
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

extension Sweeper {
    /// A stream that frees itself is waited for this long before a smaller chunk goes.
    private static let gatherMilliseconds: Int64 = 50

    /// Sends what a lane has, portion by portion, until nothing is left or the lane takes no more.
    func feed(_ lane: LaneIdentity) async {
        while let portion = feeds[lane]?.portions.first {
            let takesMore = await send(portion.run, portion.batch, lane)
            endPortion(lane)
            if !takesMore { await shed(lane) }
        }
        feeds[lane]?.isFeeding = false
    }

    /// The first portion is through, or goes back.
    func endPortion(_ lane: LaneIdentity) {
        guard let portion = feeds[lane]?.portions.removeFirst() else { return }
        portion.run.openPortions -= 1
        retire(portion.batch.leaseID)
        finishIfDone(portion.run)
        wake()
    }

    /// Sends a portion's turns in chunks, each as large as streams are free. Returns false where the lane takes no more: the rest went back.
    private func send(_ run: SweepRun, _ batch: Batch, _ lane: LaneIdentity) async -> Bool {
        var lastFree = BootTime.milliseconds()
        while let pending = feeds[lane]?.portions.first?.turns, !pending.isEmpty {
            guard !isHalted, let sender = lanes.sender(lane), let free = await freeSlots(lane, sender, for: pending)
            else {
                await giveBackFirst(lane, isOurStop: isHalted)
                return false
            }
            onEvent(.progress)
            guard await renewFirst(lane) else { return true }
            await renewWaiting(lane)
            // A server that grants no stream for that long is as good as away: nobody is held for it.
            guard free > 0 else {
                if BootTime.milliseconds() - lastFree < 2 * settings.responseMilliseconds { continue }
                await giveBackFirst(lane, isOurStop: false)
                return false
            }
            lastFree = BootTime.milliseconds()
            guard let now = clock.now, let leaseEnd = feeds[lane]?.portions.first?.leaseEnd else { return true }
            // Asked again, and taken without a pause between: other lanes' feeds share the room.
            let turns = takeFirst(upTo: min(free, room(lane)), from: lane)
            // Judged at the moment of sending: what waited past its answer's end, or into a pause, is asked again.
            let paused = judge.paused
            let fresh = turns.map { $0.sendable(at: now, paused: paused) }.filter { !$0.nudges.isEmpty }
            let count = fresh.reduce(0) { $0 + $1.pushCount }
            feeds[lane]?.openPushes += count
            if fresh.count < turns.count {
                let late = Set(turns.map(\.userID)).subtracting(fresh.map(\.userID))
                await giveBack(Array(late), leaseID: batch.leaseID)
            }
            guard !fresh.isEmpty else { continue }
            let chunk = Chunk(
                lane: lane,
                leaseID: batch.leaseID,
                number: takeChunkNumber(),
                sweepID: run.id,
                attemptedAt: now,
                turns: fresh
            )
            await launch(chunk, sender, leaseEnd: leaseEnd, reserved: count, run)
        }
        return true
    }

    private func takeFirst(upTo limit: Int, from lane: LaneIdentity) -> [PlannedTurn] {
        guard limit > 0, var pending = feeds[lane]?.portions.first?.turns else { return [] }
        let taken = PlannedTurn.take(upTo: limit, from: &pending)
        feeds[lane]?.portions[0].turns = pending
        if (feeds[lane]?.backlog ?? 0) <= lowWater { wake() }
        return taken
    }

    /// How many pushes may be committed now; 0: ask again; nil: the lane takes none for a while.
    private func freeSlots(_ lane: LaneIdentity, _ sender: Sender, for pending: ArraySlice<PlannedTurn>) async -> Int? {
        let wanted = pending.reduce(0) { $0 + $1.pushCount }
        let room = room(lane)
        if room <= 0 {
            await withCheckedContinuation { waiters.append($0) }
            return 0
        }
        let goal = max(1, min(wanted, room, settings.maxInFlight / 4))
        let free = await sender.waitForFreeSlots(
            atLeast: goal,
            until: BootTime.milliseconds() + Self.gatherMilliseconds
        )
        if free > 0 { return min(free, self.room(lane)) }
        return sender.isBlocked ? nil : 0
    }

    private func room(_ lane: LaneIdentity) -> Int {
        let others = feeds.filter { $0.key != lane && $0.value.openPushes > 0 }.map(\.value.openPushes)
        return FlightBudget(total: settings.maxInFlight, lanes: lanes.count)
            .room(own: feeds[lane]?.openPushes ?? 0, others: others)
    }

    /// Commits a chunk's intent and hands its pushes to the sender.
    ///
    /// - Parameter leaseEnd: of its users, as far as we know (CLOCK_BOOTTIME milliseconds).
    private func launch(
        _ chunk: Chunk,
        _ sender: Sender,
        leaseEnd: Int64,
        reserved count: Int,
        _ run: SweepRun
    ) async {
        await hooks.reach(.beforeIntent)
        livingLeases[chunk.leaseID, default: 0] += 1
        run.openChunks += 1
        let asked = BootTime.milliseconds()
        do {
            let intent = intent(of: chunk)
            var (kept, changed, cancelled) = try await store.commit(
                intent,
                leaseMilliseconds: settings.leaseMilliseconds
            )
            // An intent keeps others away from when they can see it: by now for sure, but was that before the lease ended?
            if BootTime.milliseconds() >= leaseEnd - SweepSettings.marginMilliseconds { changed = kept }
            await hooks.reach(.afterIntent)
            var held = chunk
            held.turns = chunk.turns.filter { kept.contains($0.userID) }
            cancelled = cancelled.filter { kept.contains($0.userID) }
            run.report.changed +=
                chunk.turns.count - held.turns.count + changed.union(cancelled.lazy.map(\.userID)).count
            if held.turns.count < chunk.turns.count {
                await giveBack(chunk.turns.map(\.userID).filter { !kept.contains($0) }, leaseID: chunk.leaseID)
            }
            guard !held.turns.isEmpty else { return close(count, chunk, run) }
            // Never later than one response deadline and a margin before the lease ends: else another daemon could act meanwhile.
            let lastWrite =
                asked + settings.leaseMilliseconds - settings.responseMilliseconds - SweepSettings.marginMilliseconds
            hand(held, to: sender, except: changed, cancelled, lastWrite: lastWrite, reserved: count, run)
            await hooks.reach(.handedOver)
        } catch {
            // Nobody knows whether the intent was committed; nothing was written, so it is withdrawn.
            onEvent(.settlementFailed(error: error.description))
            Task { await withdraw(chunk, reserved: count, run) }
        }
    }

    private func intent(of chunk: Chunk) -> Intent {
        let judge = judge
        return Intent(
            leaseID: chunk.leaseID,
            number: chunk.number,
            sweepID: chunk.sweepID,
            attemptedAt: chunk.attemptedAt,
            entries: chunk.turns.map { judge.entry($0, attemptedAt: chunk.attemptedAt) },
            records: chunk.turns.flatMap(\.records).filter(Judge.survivesCrash),
            messages: Judge.messages(in: chunk.turns)
        )
    }

    private func hand(
        _ chunk: Chunk,
        to sender: Sender,
        except changed: Set<UUID>,
        _ cancelled: Set<MessageReference>,
        lastWrite: Int64,
        reserved: Int,
        _ run: SweepRun
    ) {
        var pushes: [Push] = []
        var settledAtOnce: [PushResult] = []
        let boot = BootTime.milliseconds()
        // To the millisecond: a second too many would be a second of quiet hours.
        let now = clock.milliseconds ?? chunk.attemptedAt.seconds * 1000
        var tag: UInt64 = 0
        for turn in chunk.turns {
            let userChanged = changed.contains(turn.userID)
            for nudge in turn.nudges {
                let isChanged =
                    userChanged
                    || !cancelled.isEmpty
                        && nudge.members.compactMap(turn.reference).contains(where: cancelled.contains)
                let end = nudge.validUntil.map { boot + max(0, $0.seconds * 1000 - now) } ?? .max
                let collapseID = PushIdentity.collapseID(
                    user: turn.userID,
                    kind: nudge.identity.kind.rawValue,
                    key: nudge.collapseKey
                )
                for target in nudge.targets {
                    defer { tag += 1 }
                    if isChanged {
                        settledAtOnce.append(PushResult(tag: tag, outcome: .unsent(reason: "changed"), apnsID: nil))
                        continue
                    }
                    pushes.append(
                        Push(
                            tag: tag,
                            token: target.device.token,
                            topic: chunk.lane.topic,
                            expiration: nudge.expiresAt.seconds,
                            apnsID: target.apnsID,
                            collapseID: collapseID,
                            payload: nudge.payload ?? settings.payload,
                            writeBy: min(lastWrite, end)
                        )
                    )
                }
            }
        }
        let collector = Chunk.Collector(count: Int(tag)) { outcomes in
            Task { await self.settle(chunk, outcomes, reserved: reserved, run) }
        }
        collector.take(settledAtOnce)
        guard !pushes.isEmpty else { return }
        let hooks = hooks
        sender.send(pushes, onQuarantine: { self.condemn($0, of: chunk) }) { results in
            hooks.pass(.answered)
            collector.take(results)
        }
    }

    // MARK: Leases

    /// Gives users back unchanged; where the database does not take it, their lease ends by itself.
    func giveBack(_ users: [UUID], leaseID: UUID) async {
        guard !users.isEmpty else { return }
        await hooks.reach(.beforeRelease)
        try? await store.release(users, leaseID: leaseID)
        await hooks.reach(.afterRelease)
    }
}
