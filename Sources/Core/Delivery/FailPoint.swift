import Systemd

/// Where a test can kill or hold the process. All builds have the names, for tools; only debug builds act on them.
package enum FailPoint: String, CaseIterable, Sendable {
    // A member that has joined owns no range yet. After some were declared dead, their ranges are free.
    case beforeJoin, afterJoin, beforeLeave, afterLeave, beforeDeath, afterDeath
    // A sweep, until users are in hand. `afterFanOut`: a step is over, for example a committed page.
    case beforeDrain, afterFanOut, afterDrain, beforeRecover, afterRecover, beforeClaim, claimed
    // Users whose rows can't be read. Decisions that send nothing are made, then recorded.
    case beforeSetAside, beforeRest, afterRest
    // Pushes. After the intent nothing is written yet. Once it is handed over, some may be.
    case beforeIntent, afterIntent, handedOver, answered
    // All outcomes of some users are in, then recorded, and the users are not let go yet.
    case beforeSettle, afterSettle
    // Of an intent that failed to commit.
    case beforeWithdrawal, afterWithdrawal

    /// As in NUDGED_FAIL_POINT: `before_join`.
    package var name: String { rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" } }
}

/// Where a test can hold a sweep, kill the process, or change a pace. nil in release builds.
package struct SweepHooks: Sendable {
    package var onReach: (@Sendable (FailPoint) async -> Void)?

    /// How often a membership is renewed; nil: six times in a lease. `Ownership` has what else follows from it.
    package var renewalMilliseconds: Int64?

    package init() {}

    func reach(_ point: FailPoint) async { await onReach?(point) }

    /// Calls the hook from a callback, without waiting for it.
    func pass(_ point: FailPoint) {
        guard let onReach else { return }
        Task { await onReach(point) }
    }
}

#if DEBUG
    import Glibc

    /// For tests:
    /// - `NUDGED_FAIL_POINT=<FailPoint>:kill[:N]` kills the process at its N-th visit (default 1).
    /// - `NUDGED_FAIL_POINT=<FailPoint>:hold:<FILE>` writes FILE.held at the first time and waits until FILE exists.
    /// - `NUDGED_RENEWAL=<milliseconds>` renews a membership so often, however long the lease is, and declares a member
    ///   dead after two of these times. So a test needs no short lease for members that notice each other soon.
    extension SweepHooks {
        package static var ofProcess: SweepHooks {
            let environment = ProcessEnvironment.current()
            var hooks = SweepHooks()
            hooks.renewalMilliseconds = environment["NUDGED_RENEWAL"].flatMap { Int64($0) }
            guard let text = environment["NUDGED_FAIL_POINT"] else { return hooks }
            let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count >= 2, let wanted = FailPoint.allCases.first(where: { $0.name == parts[0] }) else {
                return hooks
            }
            let argument = parts.count > 2 ? parts[2] : ""
            let timesReached = Monitor(0)
            let kills = parts[1] == "kill"
            hooks.onReach = { point in
                guard point == wanted else { return }
                let count = timesReached.withLock { times -> Int in
                    times += 1
                    return times
                }
                if kills, count == Int(argument) ?? 1 { kill(getpid(), SIGKILL) }
                guard !kills, count == 1 else { return }
                close(open(argument + ".held", O_WRONLY | O_CREAT, 0o600))
                while access(argument, F_OK) != 0 { try? await Task.sleep(for: .milliseconds(5)) }
            }
            return hooks
        }
    }
#else
    extension SweepHooks { package static var ofProcess: SweepHooks { SweepHooks() } }
#endif
