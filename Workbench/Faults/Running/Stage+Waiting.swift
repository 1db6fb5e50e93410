import Glibc
public import LocalPostgres

extension Stage {
    /// Polls until the condition is met. PostgreSQL doesn't announce such changes, and the pause keeps the cost low.
    public func wait(
        _ limit: Duration,
        for what: String,
        every pause: Duration = .milliseconds(25),
        until isSo: @Sendable () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while try await !isSo() {
            guard ContinuousClock.now < end else { throw FaultError("waited \(limit) for \(what)") }
            try await Task.sleep(for: pause)
        }
    }

    /// Waits until Apple has accepted this many pushes or the process has ended. False if there are fewer.
    @discardableResult
    public func awaitAccepted(_ count: Int, by process: ChildProcess, within limit: Duration = .seconds(60))
        async throws
        -> Bool
    {
        try await wait(limit, for: "\(count) accepted pushes", every: .milliseconds(2)) {
            self.taken.count >= count || process.exit != nil
        }
        return taken.count >= count
    }

    /// How many pushes Apple has accepted so far.
    public var acceptedCount: Int { taken.count }

    /// Waits until a living daemon has nothing left to do.
    public func awaitIdle(within limit: Duration = .seconds(120)) async throws {
        try await wait(limit, for: "nobody to be due", every: .milliseconds(100)) { try await self.isIdle() }
    }

    /// Kills a daemon by SIGKILL. Pushes that were open then must become `unknown`.
    public func kill(_ process: ChildProcess) async throws {
        process.signal(SIGKILL)
        try await mourn(process)
    }

    /// Waits for a daemon's death, and allows what it left open. Returns how many pushes that are.
    @discardableResult
    public func mourn(_ process: ChildProcess, within limit: Duration = .seconds(60)) async throws -> Int {
        try await finish(process, within: limit)
        // The server still performs what the daemon had sent.
        try await awaitNoSessions()
        let open = try await openIntents()
        allow { $0.openAtKill.formUnion(open) }
        return open.count
    }

    /// Measures how long after an instant (milliseconds since 1970) the next push was accepted. The round fails if none
    /// comes within the limit although users are due.
    public func measureRecovery(since instant: Int64, within limit: Duration = .seconds(60)) async throws {
        do {
            try await wait(limit, for: "work to go on", every: .milliseconds(10)) {
                if self.taken.first(after: instant) != nil { return true }
                return try await self.isIdle()
            }
        } catch is FaultError {
            return fail("no push in \(limit) after the fault had ended")
        }
        if let at = taken.first(after: instant) { recovered(after: at - instant) }
    }

    /// Milliseconds since 1970.
    public var now: Int64 { WallClock.milliseconds() }
}
