import APNs
import Policy
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

extension Sweeper {
    /// A stream that frees itself is waited for this long before a smaller chunk goes.
    private static let gatherMilliseconds: Int64 = 50

    /// Sends a batch's nudges in chunks, each as large as streams are free. Returns false where the lane takes no more: the rest went back.
    func send(_ nudges: [PlannedNudge], _ batch: Batch, _ run: SweepRun) async -> Bool {
        var pending = nudges[...]
        var leaseEnd = batch.leaseEnd
        var lastFree = BootTime.milliseconds()
        while !pending.isEmpty {
            guard !isStopping, let free = await freeSlots(for: pending) else {
                await giveBack(pending.map(\.userID), leaseID: batch.leaseID)
                return false
            }
            onEvent(.progress)
            if leaseEnd - BootTime.milliseconds() < settings.leaseMilliseconds / 2 {
                let asked = BootTime.milliseconds()
                guard let kept = await renew(pending.map(\.userID), batch.leaseID) else { return false }
                leaseEnd = asked + settings.leaseMilliseconds
                pending = pending.filter { kept.contains($0.userID) }[...]
            }
            // A server that grants no stream for that long is as good as away: nobody is held for it.
            guard free > 0 else {
                if BootTime.milliseconds() - lastFree < 2 * settings.responseMilliseconds { continue }
                await giveBack(pending.map(\.userID), leaseID: batch.leaseID)
                return false
            }
            lastFree = BootTime.milliseconds()
            let nudges = Self.take(upTo: free, from: &pending)
            guard !nudges.isEmpty else { continue }
            let number = takeChunkNumber()
            guard let now = clock.now else { return false }
            // Judged at the moment of sending: what waited past its answer's end is asked again.
            let fresh = nudges.filter { $0.validUntil > now }
            if fresh.count < nudges.count {
                let late = Set(nudges.map(\.userID)).subtracting(fresh.map(\.userID))
                await giveBack(Array(late), leaseID: batch.leaseID)
            }
            guard !fresh.isEmpty else { continue }
            let chunk = Chunk(
                leaseID: batch.leaseID,
                number: number,
                sweepID: run.id,
                attemptedAt: now,
                nudges: fresh
            )
            await launch(chunk, run)
        }
        return true
    }

    /// How many pushes may be committed now; 0: ask again; nil: the lane takes none for a while.
    private func freeSlots(for pending: ArraySlice<PlannedNudge>) async -> Int? {
        let wanted = pending.reduce(0) { $0 + $1.targets.count }
        let room = settings.maxInFlight - openPushes
        if room <= 0 {
            await withCheckedContinuation { waiters.append($0) }
            return 0
        }
        let goal = max(1, min(wanted, room, settings.maxInFlight / 4))
        let free = await sender.waitForFreeSlots(
            atLeast: goal,
            until: BootTime.milliseconds() + Self.gatherMilliseconds
        )
        if free > 0 { return min(free, settings.maxInFlight - openPushes) }
        switch sender.status {
        case .idle, .open, .connecting: return 0
        case .backingOff, .stopped, .resting, .draining: return nil
        }
    }

    /// Whole users, as long as they fit. One whose devices alone are too many is split: the others follow under the same answer.
    static func take(upTo limit: Int, from pending: inout ArraySlice<PlannedNudge>) -> [PlannedNudge] {
        var taken: [PlannedNudge] = []
        var room = limit
        while let nudge = pending.first, nudge.targets.count <= room || taken.isEmpty {
            pending.removeFirst()
            guard nudge.targets.count <= room else {
                var part = nudge
                part.targets = Array(nudge.targets.prefix(room))
                part.waiting += nudge.targets.dropFirst(room).map {
                    Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0))
                }
                return [part]
            }
            taken.append(nudge)
            room -= nudge.targets.count
        }
        return taken
    }

    /// Commits a chunk's intent and hands its pushes to the sender.
    private func launch(_ chunk: Chunk, _ run: SweepRun) async {
        await hooks.beforeIntent?()
        let count = chunk.pushCount
        openPushes += count
        livingLeases[chunk.leaseID, default: 0] += 1
        run.openChunks += 1
        let asked = BootTime.milliseconds()
        do {
            let intent = intent(of: chunk)
            let (kept, changed) = try await store.commit(intent, leaseMilliseconds: settings.leaseMilliseconds)
            await hooks.afterIntent?()
            var held = chunk
            held.nudges = chunk.nudges.filter { kept.contains($0.userID) }
            run.report.changed += chunk.nudges.count - held.nudges.count + changed.count
            if held.nudges.count < chunk.nudges.count {
                await giveBack(chunk.nudges.map(\.userID).filter { !kept.contains($0) }, leaseID: chunk.leaseID)
            }
            guard !held.nudges.isEmpty else { return close(count, chunk.leaseID, run) }
            // Never later than one response deadline and a margin before the lease ends: else another daemon could act meanwhile.
            let lastWrite =
                asked + settings.leaseMilliseconds - settings.responseMilliseconds - SweepSettings.marginMilliseconds
            hand(held, except: changed, lastWrite: lastWrite, reserved: count, run)
        } catch {
            // Nobody knows whether the intent was committed; nothing was written, so it is withdrawn.
            onEvent(.settlementFailed(error: error.description))
            Task { await withdraw(chunk, reserved: count, run) }
        }
    }

    private func intent(of chunk: Chunk) -> Intent {
        Intent(
            leaseID: chunk.leaseID,
            number: chunk.number,
            sweepID: chunk.sweepID,
            attemptedAt: chunk.attemptedAt,
            entries: chunk.nudges.map { nudge in
                Intent.Entry(
                    update: judge.updateAtIntent(nudge, now: chunk.attemptedAt),
                    devices: nudge.targets.map { target in
                        Intent.Target(
                            kind: PlannedNudge.kind,
                            key: nudge.key,
                            slot: nudge.slot,
                            deviceHash: target.hash,
                            apnsID: target.apnsID
                        )
                    }
                )
            }
        )
    }

    private func hand(_ chunk: Chunk, except changed: Set<UUID>, lastWrite: Int64, reserved: Int, _ run: SweepRun) {
        var pushes: [Push] = []
        var settledAtOnce: [PushResult] = []
        let boot = BootTime.milliseconds()
        let now = clock.now ?? chunk.attemptedAt
        var tag: UInt64 = 0
        for nudge in chunk.nudges {
            let end = boot + max(0, nudge.validUntil - now) * 1000
            let collapseID = PushIdentity.collapseID(user: nudge.userID, kind: PlannedNudge.kind, key: nudge.key)
            for target in nudge.targets {
                defer { tag += 1 }
                if changed.contains(nudge.userID) {
                    settledAtOnce.append(PushResult(tag: tag, outcome: .unsent(reason: "changed"), apnsID: nil))
                } else {
                    pushes.append(
                        Push(
                            tag: tag,
                            token: target.device.token,
                            topic: judge.lane.topic,
                            expiration: nudge.validUntil.seconds,
                            apnsID: target.apnsID,
                            collapseID: collapseID,
                            payload: settings.payload,
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
        if !pushes.isEmpty { sender.send(pushes) { collector.take($0) } }
    }

    // MARK: Leases

    /// Gives users back unchanged; where the database does not take it, their lease ends by itself.
    func giveBack(_ users: [UUID], leaseID: UUID) async {
        guard !users.isEmpty else { return }
        try? await store.release(users, leaseID: leaseID)
    }

    private func renew(_ users: [UUID], _ leaseID: UUID) async -> Set<UUID>? {
        try? await store.renew(users, leaseID: leaseID, leaseMilliseconds: settings.leaseMilliseconds)
    }
}
