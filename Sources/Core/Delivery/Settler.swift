import APNs
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Records outcomes as they arrive, and decisions that send nothing. Many users share a transaction (group commit). If
/// the database refuses a user, or somebody holds their row, no other user is delayed.
actor Settler {
    /// A user to be settled. Indirect: it moves through many lists.
    indirect enum Entry: Sendable {
        case rest(Change, HeldUser)
        case sent(PlannedUser, [PushOutcome], Flight)

        var held: HeldUser {
            switch self {
            case .rest(_, let held): held
            case .sent(let user, _, _): user.held
            }
        }

        var isRest: Bool { if case .rest = self { true } else { false } }
    }

    /// A settlement waits this many milliseconds for more users, or until it has `gatherUsers`.
    private static let gatherMilliseconds: Int64 = 8
    private static let gatherUsers = 400
    /// The most users in one transaction. Two such transactions leave room in flight if a user has one device.
    private static let usersAtOnce = 500
    /// When more decisions that send nothing are waiting than this, the claimer waits.
    private static let mostRests = 2_000
    /// A user who gets nothing is set aside after this many refused settlements.
    private static let patience = 5

    private struct Inbox: Sendable {
        var entries: [Entry] = []
        var rests = 0
        var isServed = false
        /// Transactions that the database refused, and that are tried again.
        var failing = 0
    }

    private let delivery: DeliveryContext
    private let inbox = Monitor(Inbox())
    /// The transaction that was begun last.
    private var latest: Task<Void, Never>?

    init(_ delivery: DeliveryContext) { self.delivery = delivery }

    /// Whether the database refuses a settlement now, of whatever sweep.
    nonisolated var isFailing: Bool { inbox.withLock { $0.failing > 0 } }

    // MARK: What comes in

    nonisolated func add(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        let starts = inbox.withLock { inbox in
            inbox.entries += entries
            inbox.rests += entries.count(where: \.isRest)
            defer { inbox.isServed = true }
            return !inbox.isServed
        }
        if starts { Task { await serve() } }
    }

    /// Adds decisions that send nothing, when there is room for them.
    nonisolated func addRests(_ entries: [Entry]) async {
        guard !entries.isEmpty else { return }
        await inbox.wait { $0.rests < Self.mostRests }
        add(entries)
    }

    /// Withdraws a flight of which nothing was written, when it is unknown whether its intent was committed. It runs in
    /// its own transaction, because it waits for a commit that may still be running.
    nonisolated func withdraw(_ flight: Flight, because reason: String) {
        let entries = flight.withdraw(because: reason)
        Task { await write(entries, attempt: 0) }
    }

    /// The next transaction is made while the database is busy with this one, so that neither waits for the other.
    private func serve() async {
        while var entries = await next() {
            // A transaction settles entries of one membership and one sweep. Nearly always these are all entries.
            while let held = entries.first?.held {
                let group = entries.filter { $0.held.member == held.member && $0.held.run === held.run }
                entries.removeAll { $0.held.member == held.member && $0.held.run === held.run }
                let before = latest
                latest = Task { await write(group, attempt: 0) }
                await before?.value
            }
        }
    }

    private func next() async -> [Entry]? {
        await inbox.wait(atMost: Self.gatherMilliseconds) { $0.entries.count >= Self.gatherUsers }
        return inbox.withLock { inbox in
            guard !inbox.entries.isEmpty else {
                inbox.isServed = false
                return nil
            }
            let taken = Array(inbox.entries.prefix(Self.usersAtOnce))
            inbox.entries.removeFirst(taken.count)
            inbox.rests -= taken.count(where: \.isRest)
            return taken
        }
    }

    // MARK: One transaction

    /// Repeats the transaction until the database accepts it. Pushes are never repeated. If the stop's time is over
    /// first, recovery records the open intent as unknown.
    private func write(_ entries: [Entry], attempt: Int) async {
        var attempt = attempt
        var isFailing = false
        defer { if isFailing { inbox.withLock { $0.failing -= 1 } } }
        await reach(.beforeSettle, .beforeRest, .beforeWithdrawal, entries)
        while !delivery.hand.isAbandoned {
            var settlement = settlement(of: entries)
            // A withdrawal waits for a running commit, and a retry for a held row. Neither may keep the connection from
            // others.
            settlement.isRepeated = attempt > 0 || !settlement.withdrawn.isEmpty
            do throws(PostgresError) {
                let result = try await delivery.store.settle(settlement)
                await finish(entries, settlement, result, attempt: attempt)
                await reach(.afterSettle, .afterRest, .afterWithdrawal, entries)
                return
            } catch {
                attempt += 1
                if error.isFenced { return fence(entries) }
                if !isFailing { inbox.withLock { $0.failing += 1 } }
                isFailing = true
                entries.first?.held.run.failed()
                delivery.onEvent(.statementFailed(error))
                try? await Task.sleep(for: .milliseconds(Self.pause(attempt)))
            }
        }
    }

    /// The transaction was accepted. Users that it left out (refused, or their rows held) are tried again separately.
    private func finish(_ entries: [Entry], _ settlement: Settlement, _ result: Settlement.Result, attempt: Int) async {
        guard !result.refused.isEmpty || !result.changed.isEmpty else { return count(settlement, entries, result) }
        let refused = Dictionary(result.refused.map { ($0.userID, $0) }, uniquingKeysWith: { first, _ in first })
        // Users who changed are let go. The change has made them due.
        let done = entries.filter { refused[$0.held.userID] == nil && !result.changed.contains($0.held.userID) }
        entries.first?.held.run.count { $0.changed += result.changed.count }
        count(settlement.only(Set(done.map(\.held.userID))), done, result)
        var left: [Entry] = []
        for entry in entries {
            guard let refusal = refused[entry.held.userID] else { continue }
            delivery.onEvent(.settlementFailed(error: refusal.error))
            if case .rest(_, let held) = entry, !refusal.isHeld, attempt + 1 >= Self.patience {
                await delivery.setAside([refusal], member: held.member, now: held.claimedAt)
            } else {
                left.append(entry)
            }
        }
        guard !left.isEmpty else { return }
        Task { [left] in
            try? await Task.sleep(for: .milliseconds(Self.pause(attempt + 1)))
            await write(left, attempt: attempt + 1)
        }
    }

    private static func pause(_ attempt: Int) -> Int64 {
        let longest: Int64 = min(5_000, 100 << Int64(min(attempt, 6)))
        return Int64.random(in: longest / 2...longest)
    }

    /// The membership has ended: another daemon records these pushes as unknown.
    private func fence(_ entries: [Entry]) {
        guard let first = entries.first else { return }
        delivery.ownership.noteEnd(of: first.held.member)
        let pushes = entries.reduce(0) { sum, entry in
            guard case .sent(_, let outcomes, let flight) = entry, !flight.isWithdrawn else { return sum }
            return sum + outcomes.count
        }
        guard pushes > 0 else { return }
        first.held.run.count { $0.fenced += 1 }
        delivery.onEvent(.fenced(pushes: pushes))
    }

    // MARK: What is written

    private func settlement(of entries: [Entry]) -> Settlement {
        guard let held = entries.first?.held else { preconditionFailure("a settlement has users") }
        var settlement = Settlement(member: held.member, sweepID: held.run.id)
        let planner = delivery.terms.planner
        // There are few flights, so a search is cheaper than hashing.
        var flights: [(flight: Flight, users: [UUID])] = []
        settlement.changes.reserveCapacity(entries.count)
        for entry in entries {
            switch entry {
            case .rest(let change, _): settlement.changes.append(change)
            case .sent(let user, let outcomes, let flight):
                let (at, now) = (flight.attemptedAt, delivery.clock.now ?? flight.attemptedAt)
                settlement.changes.append(
                    planner.settle(user.plan, outcomes: outcomes, attemptedAt: at, fraction: flight.fraction, now: now)
                )
                let place = flights.firstIndex { $0.flight === flight } ?? flights.count
                if place == flights.count { flights.append((flight, [])) }
                flights[place].users.append(user.plan.userID)
            }
        }
        // In the order that the store writes, so that it need not copy them.
        settlement.changes.sort { $0.userID < $1.userID }
        for (flight, users) in flights {
            guard !flight.isWithdrawn else {
                settlement.withdrawn.append(flight.intent)
                continue
            }
            flight.part()
            let isWhole = flight.open == users.count
            settlement.closed.append(Settlement.ClosedPart(intent: flight.intent, users: users, isWhole: isWhole))
        }
        return settlement
    }

    private func count(_ settlement: Settlement, _ entries: [Entry], _ result: Settlement.Result) {
        var (unsent, served) = (0, 0)
        var sent: [SendPlan] = []
        tell(moved: settlement.changes.flatMap(\.environments).filter { $0.state == .moved })
        var tally = RecordTally()
        // Read by index: a copy of a change or a record counts a dozen references.
        let changes = settlement.changes
        for one in changes.indices {
            for place in changes[one].records.indices {
                tally.enter(changes[one].records[place].outcome, of: changes[one].records[place].kind)
                tell(changes[one].records[place])
            }
        }
        for entry in entries {
            switch entry {
            case .rest: served += 1
            case .sent(let user, let outcomes, let flight):
                flight.settled(1)
                // The others were written to Apple, whatever became of them.
                let unwritten = outcomes.count { if case .unsent = $0 { true } else { false } }
                unsent += unwritten
                if unwritten < outcomes.count { sent.append(user.plan) }
            }
        }
        served += sent.count
        delivery.answers.withLock { answers in
            for plan in sent { answers.forget(plan.userID, plan.nudges.lazy.map { $0.identity }) }
        }
        entries.first?.held.run.count { report in
            report.unsent += unsent
            report.served += served
            report.tokensDeleted += result.tokensDeleted
            report.record.add(tally)
        }
    }

    private func tell(_ record: DeliveryRecord) {
        switch record.outcome {
        case .accepted, .dropped, .deferred, .skipped: break
        case .rejected:
            let (user, device, reason) = (record.userID, record.deviceHash, record.reason ?? "")
            delivery.onEvent(.rejected(user: user, deviceHash: device, reason: reason, status: record.status))
        case .unknown:
            let (device, reason) = (record.deviceHash, record.reason ?? "")
            delivery.onEvent(.unknown(user: record.userID, kind: record.kind, deviceHash: device, reason: reason))
        }
    }

    /// Reports devices that work in the other environment, and writes it into the table of devices. If that fails,
    /// nudged.person.quarantine still has it.
    private func tell(moved devices: [EnvironmentNote]) {
        guard !devices.isEmpty else { return }
        for device in devices { delivery.onEvent(.moved(device)) }
        let delivery = delivery
        delivery.hand.errand {
            do throws(PostgresError) {
                try await delivery.store.moveDevices(devices)
            } catch { delivery.onEvent(.settlementFailed(error: error.description)) }
        }
    }

    private func reach(_ arrived: FailPoint, _ rest: FailPoint, _ withdrawn: FailPoint, _ entries: [Entry]) async {
        guard delivery.hooks.onReach != nil else { return }
        let points = entries.map { entry in
            switch entry {
            case .rest: rest
            case .sent(_, _, let flight): flight.isWithdrawn ? withdrawn : arrived
            }
        }
        for point in Set(points) { await delivery.hooks.reach(point) }
    }
}
