import Base
import Glibc
public import LocalPostgres
import Synchronization

extension Stage {
    /// Only a net: no wait is meant to end by it.
    static let net = Duration.seconds(600)

    /// Polls until the condition is met. PostgreSQL doesn't announce such changes, and the pause keeps the cost low.
    ///
    /// Ends by an error when the condition can't be met any more: no daemon that it needs is left.
    ///
    /// - Parameter daemons: who brings it about; nil: any daemon of the round. Empty: it needs none.
    public func wait(
        for what: String,
        by daemons: [ChildProcess]? = nil,
        every pause: Duration = .milliseconds(25),
        until isSo: @Sendable () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + Self.net
        while true {
            // Read before the condition, because a daemon may meet it and end.
            let needed = daemons ?? self.daemons
            let areAllGone = !needed.isEmpty && needed.allSatisfy { $0.exit != nil }
            if try await isSo() { return }
            if areAllGone, let last = needed.last {
                let ends = needed.map { String(describing: $0.exit) }.joined(separator: ", ")
                throw FaultError("\(what): no daemon is left to wait for (\(ends)): \(last.errorOutput.suffix(1500))")
            }
            guard ContinuousClock.now < end else { throw FaultError("waited \(Self.net) for \(what)") }
            try await Task.sleep(for: pause)
        }
    }

    /// Waits until Apple has accepted this many pushes, nobody is due any more, or the process has ended. False if there
    /// are fewer.
    @discardableResult
    public func awaitAccepted(_ count: Int, by process: ChildProcess) async throws -> Bool {
        var polls = 0
        let end = ContinuousClock.now + Self.net
        while taken.count < count, process.exit == nil {
            polls += 1
            // Asking the database is dear. If it is away, there is more to come.
            if polls % 200 == 0, (try? await isIdle()) == true { break }
            guard ContinuousClock.now < end else { throw FaultError("waited \(Self.net) for \(count) accepted pushes") }
            try await Task.sleep(for: .milliseconds(2))
        }
        return taken.count >= count
    }

    /// How many pushes Apple has accepted so far.
    public var acceptedCount: Int { taken.count }

    /// Waits until a living daemon has nothing left to do.
    public func awaitIdle() async throws {
        try await wait(for: "nobody to be due", every: .milliseconds(100)) { try await self.isIdle() }
    }

    /// Kills a daemon by SIGKILL. Pushes that were open then must become `unknown`.
    public func kill(_ process: ChildProcess) async throws {
        process.signal(SIGKILL)
        try await mourn(process)
    }

    /// Waits for the death of the round's only daemon, allows what it left open, and ends its lease. Returns how many
    /// pushes were open.
    @discardableResult
    public func mourn(_ process: ChildProcess) async throws -> Int {
        try await finish(process)
        // The server still performs what the daemon had sent.
        try await awaitNoSessions()
        let open = try await openIntents()
        allow { $0.openAtKill.formUnion(open) }
        try await endLeases()
        return open.count
    }

    /// Ends the leases of all daemons but a living one, as if their time had passed. So nobody has to wait for it.
    func endLeases(except living: ChildProcess? = nil) async throws {
        try await sql(
            """
            with dead as (
                select id from nudged.member m where not exists (
                    select from nudged.daemon d where d.daemon_id = m.daemon_id and d.pid = \(living?.id ?? 0)
                )
            ), ended as (
                update nudged.lease set alive_until = '1970-01-01' where member in (select id from dead)
            )
            -- A real lease lasts for seconds, so a later attempt is at a later instant.
            update nudged.intent set attempted_at = attempted_at - interval '1 minute'
            where member in (select id from dead)
            """
        )
    }

    /// Measures how long after an instant the next push was accepted. The round fails if none comes within the limit,
    /// in machine time, although users are due.
    public func measureRecovery(since moment: Moment, within limit: Duration? = nil) async throws {
        try await measureRecovery(since: moment, within: limit) { try await self.isIdle() }
    }

    /// - Parameter isIdle: asks the server that has the work.
    func measureRecovery(
        since moment: Moment,
        within limit: Duration?,
        isIdle: @Sendable () async throws -> Bool
    ) async throws {
        let most = limit.map { Int64($0 / .milliseconds(1)) } ?? .max
        let polls = Atomic<Int>(0)
        try await wait(for: "work to go on", every: .milliseconds(10)) {
            if self.taken.first(after: moment.at) != nil || moment.elapsed >= most { return true }
            // A session for each poll would itself keep the processors busy.
            guard polls.add(1, ordering: .relaxed).newValue % 50 == 0 else { return false }
            return try await isIdle()
        }
        guard let at = taken.first(after: moment.at) else {
            if moment.elapsed >= most { fail("no push in \(most) ms after the fault had ended") }
            return
        }
        recovered(after: at - moment.at)
    }

    /// Milliseconds since 1970.
    public var now: Int64 { WallTime.milliseconds() }

    /// Now, by both clocks.
    public var moment: Moment { .now }
}
