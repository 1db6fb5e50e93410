import Planning
import APNs
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

extension Sweeper {
    /// Records a chunk's outcomes, until the database takes them.
    func settle(_ chunk: Chunk, _ outcomes: [PushOutcome], reserved: Int, _ run: SweepRun) async {
        await hooks.reach(.beforeSettle)
        var settlement = Settlement(
            leaseID: chunk.leaseID,
            sweepID: chunk.sweepID,
            fence: .openIntent(chunk: chunk.number)
        )
        let now = clock.now ?? chunk.attemptedAt
        let judge = judge
        var index = 0
        for turn in chunk.turns {
            let own = outcomes[index..<index + turn.pushCount]
            index += own.count
            if own.contains(where: \.wasWritten) { forgetAnswers(of: turn) }
            let settled = judge.settle(turn, outcomes: own, attemptedAt: chunk.attemptedAt, now: now)
            settlement.take(settled, of: turn)
        }
        if let result = await carryOut(settlement) {
            if result.counted {
                count(settlement, outcomes, into: &run.report)
                run.report.tokensDeleted += result.tokensDeleted
            } else {
                run.report.fenced += 1
                onEvent(.fenced(pushes: outcomes.count))
            }
        }
        await hooks.reach(.afterSettle)
        close(reserved, chunk, run)
    }

    /// A chunk that was not written: its intent goes, if it was committed, and its users are asked again.
    func withdraw(_ chunk: Chunk, reserved: Int, _ run: SweepRun) async {
        await hooks.reach(.beforeWithdrawal)
        var settlement = Settlement(
            leaseID: chunk.leaseID,
            sweepID: chunk.sweepID,
            fence: .withdrawn(chunk: chunk.number)
        )
        let now = clock.now ?? chunk.attemptedAt
        for turn in chunk.turns {
            let outcomes = Array(repeating: PushOutcome.unsent(reason: "intent_failed"), count: turn.pushCount)
            let settled = judge.settle(turn, outcomes: outcomes, attemptedAt: chunk.attemptedAt, now: now)
            settlement.take(settled, of: turn)
        }
        if await carryOut(settlement) != nil { run.report.unsent += chunk.pushCount }
        await hooks.reach(.afterWithdrawal)
        close(reserved, chunk, run)
    }

    /// The transaction is tried again, the pushes are not. nil where the stop's time was over first, or the database refused it for good:
    /// then the open intent says `unknown`.
    func carryOut(_ settlement: Settlement) async -> Settlement.Result? {
        var settlement = settlement
        var attempt = 0
        var mayHaveCommitted = false
        while !isAbandoned {
            do {
                let result = try await store.settle(settlement)
                // The intent that is gone was most likely closed by our own transaction, whose answer was lost.
                if !result.counted, mayHaveCommitted { return result.counting }
                return result
            } catch {
                attempt += 1
                mayHaveCommitted = mayHaveCommitted || error.mayHaveCommitted
                onEvent(.settlementFailed(error: error.description))
                if error.sqlState == "23505" { settlement.tieBreak = Int64(attempt) }
                if let patience = Self.patience(with: error, settlement.fence), attempt >= patience {
                    let isHeld = error.sqlState == "55P03"
                    if !isHeld { guard await isPoisoned(settlement) else { continue } }
                    return await withoutPoison(settlement, isHeld: isHeld)
                }
                let milliseconds = min(5000, 100 << min(attempt, 6))
                try? await Task.sleep(
                    for: .milliseconds(Int64.random(in: Int64(milliseconds) / 2...Int64(milliseconds)))
                )
            }
        }
        return nil
    }

    /// After how many attempts the values themselves are taken for the trouble; nil: never. A value that can't be written (class 22) will never be; a
    /// refusal by a constraint or a trigger may be the row's or the table's; everything else (a revoked right, a table under migration) is mended
    /// elsewhere, and waited for.
    private static func patience(with error: PostgresError, _ fence: Settlement.Fence) -> Int? {
        switch error.sqlState {
        case let state? where state.hasPrefix("22"): 3
        // The intent's commit is still under way (it waits for a synchronous standby): given up, what comes of it would be taken for a dead daemon's.
        case "55P03"? where error.statement == Query.withdrawIntent.rawValue: nil
        // Somebody holds the row of one of those who rest: the others need not wait for it.
        case "55P03"? where !fence.isOpen: 1
        case let state? where state.hasPrefix("23") || state == "P0001":
            // What was written is given up as unknown only after ten minutes.
            fence.isOpen ? 120 : 5
        case _?: nil
        case nil: error.code == .invalidParameter ? 3 : nil
        }
    }

    /// Whether some can be settled and others not: where the first and the last alone are refused as well, it is the table's trouble, and halving would
    /// only ask it a thousand times.
    private func isPoisoned(_ settlement: Settlement) async -> Bool {
        guard !settlement.fence.isOpen, settlement.updates.count > 2 else { return true }
        for update in [settlement.updates.first, settlement.updates.last].compactMap(\.self) {
            do throws(PostgresError) {
                _ = try await store.settle(settlement.only([update]))
                return true
            } catch {
                if error.isTransient { return false }
            }
        }
        return false
    }

    /// The database refuses it for good, so something in it is poisoned, or held. Tokens can wait for their next 410; users who rest are settled in
    /// halves, until the one is alone; the outcomes of a chunk stay together, since its intent is one row: it then says `unknown`.
    private func withoutPoison(_ settlement: Settlement, isHeld: Bool) async -> Settlement.Result? {
        var rest = settlement
        if !settlement.staleTokens.isEmpty {
            rest.staleTokens = []
            return await carryOut(rest)
        }
        if settlement.fence.isOpen { return nil }
        guard settlement.updates.count > 1 else {
            // Whoever is held is asked again when the lease ends.
            if isHeld { return nil }
            await setAside(settlement.updates.map { ($0.userID, $0.version) }, leaseID: settlement.leaseID)
            return nil
        }
        let middle = settlement.updates.count / 2
        var result: Settlement.Result?
        for part in [settlement.updates[..<middle], settlement.updates[middle...]] {
            result = await carryOut(settlement.only(Array(part))) ?? result
        }
        return result
    }

    func close(_ pushes: Int, _ chunk: Chunk, _ run: SweepRun) {
        feeds[chunk.lane]?.openPushes -= pushes
        run.openChunks -= 1
        retire(chunk.leaseID)
        finishIfDone(run)
        wake()
    }

    private func count(_ settlement: Settlement, _ outcomes: [PushOutcome], into report: inout SweepReport) {
        for outcome in outcomes {
            if case .unsent = outcome { report.unsent += 1 }
        }
        for record in settlement.records {
            report.record.enter(record)
            switch record.outcome {
            case .accepted, .dropped, .deferred, .skipped: break
            case .rejected:
                onEvent(
                    .rejected(
                        user: record.userID,
                        deviceHash: record.deviceHash,
                        reason: record.reason ?? "",
                        status: record.status
                    )
                )
            case .unknown:
                onEvent(
                    .unknown(
                        user: record.userID,
                        kind: record.kind,
                        deviceHash: record.deviceHash,
                        reason: record.reason ?? ""
                    )
                )
            }
        }
    }
}
