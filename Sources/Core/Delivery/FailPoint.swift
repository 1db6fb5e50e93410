import Systemd

/// A place in a sweep where a test can kill or hold the process. Only debug builds act on them. All builds have the
/// names, so that tools can go through every one.
package enum FailPoint: String, CaseIterable, Sendable {
    case beforeJoin = "before_join"
    /// It is a member and owns no range yet.
    case afterJoin = "after_join"
    /// It is about to end a membership, to leave or to join again with its share.
    case beforeLeave = "before_leave"
    /// The attempt to end the membership is over.
    case afterLeave = "after_leave"
    /// It looks for members whose lease has ended.
    case beforeDeath = "before_death"
    /// Some members were declared dead, and their ranges are free.
    case afterDeath = "after_death"
    case beforeDrain = "before_drain"
    /// A step of a fan-out is over, for example a committed page.
    case afterFanOut = "after_fan_out"
    /// Changes are drained, and nobody is claimed yet.
    case afterDrain = "after_drain"
    case beforeRecover = "before_recover"
    case afterRecover = "after_recover"
    case beforeClaim = "before_claim"
    case claimed
    /// Users whose rows can't be read are about to be set aside.
    case beforeSetAside = "before_set_aside"
    /// Decisions that send nothing are made and not recorded yet.
    case beforeRest = "before_rest"
    case afterRest = "after_rest"
    case beforeIntent = "before_intent"
    /// An intent is committed, and nothing is written yet.
    case afterIntent = "after_intent"
    /// The sender has an intent's pushes. Some may be written.
    case handedOver = "handed_over"
    case answered
    /// All outcomes of some users are in and not recorded yet.
    case beforeSettle = "before_settle"
    /// They are recorded, and the users are not let go yet.
    case afterSettle = "after_settle"
    /// An intent failed to commit and is about to be withdrawn.
    case beforeWithdrawal = "before_withdrawal"
    case afterWithdrawal = "after_withdrawal"
}

/// Where a test can hold a sweep, kill the process, or change a pace. nil in release builds.
package struct SweepHooks: Sendable {
    package var onReach: (@Sendable (FailPoint) async -> Void)?

    /// How often a membership is renewed; nil: six times in a lease.
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

    /// Named fail points of this process, for tests. Release builds have none.
    ///
    /// `NUDGED_FAIL_POINT=<FailPoint>:kill[:N]` kills the process with SIGKILL when it reaches the point for the N-th
    /// time (default 1).
    ///
    /// `NUDGED_FAIL_POINT=<FailPoint>:hold:<FILE>` writes FILE.held at the first time and waits until FILE exists.
    ///
    /// `NUDGED_RENEWAL=<milliseconds>` renews a membership so often, however long the lease is. So a test needs no short
    /// lease for members that notice each other soon.
    extension SweepHooks {
        package static var ofProcess: SweepHooks {
            let environment = ProcessEnvironment.current()
            var hooks = SweepHooks()
            hooks.renewalMilliseconds = environment["NUDGED_RENEWAL"].flatMap { Int64($0) }
            guard let text = environment["NUDGED_FAIL_POINT"] else { return hooks }
            let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count >= 2, let wanted = FailPoint(rawValue: parts[0]) else { return hooks }
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
                if !kills, count == 1 { await hold(argument) }
            }
            return hooks
        }

        private static func hold(_ path: String) async {
            close(open(path + ".held", O_WRONLY | O_CREAT, 0o600))
            while access(path, F_OK) != 0 { try? await Task.sleep(for: .milliseconds(5)) }
        }
    }
#else
    extension SweepHooks { package static var ofProcess: SweepHooks { SweepHooks() } }
#endif
