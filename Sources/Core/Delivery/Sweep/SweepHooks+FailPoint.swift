import Systemd

#if DEBUG
    import Glibc

    /// Named fail points, for tests of the real process. Release builds have none.
    ///
    /// `NUDGED_FAIL_POINT=<FailPoint>:kill[:N]` kills the process with SIGKILL when it reaches the point for the N-th
    /// time (default 1).
    ///
    /// `NUDGED_FAIL_POINT=<FailPoint>:hold:<FILE>` writes FILE.held at the first time and waits until FILE exists.
    ///
    /// `NUDGED_RENEWAL=<milliseconds>` renews a membership so often, however long the lease is. So a test needs no short
    /// lease for members that notice each other soon.
    extension SweepHooks {
        /// The hook that the environment names, or none.
        package static func failPoint(_ environment: [String: String]) -> SweepHooks {
            var hooks = SweepHooks()
            hooks.renewalMilliseconds = environment["NUDGED_RENEWAL"].flatMap { Int64($0) }
            guard let text = environment["NUDGED_FAIL_POINT"] else { return hooks }
            let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count >= 2, let wanted = FailPoint(rawValue: parts[0]) else { return hooks }
            let argument = parts.count > 2 ? parts[2] : ""
            let counter = FailPointCounter()
            let kills = parts[1] == "kill"
            hooks.onReach = { point in
                guard point == wanted else { return }
                let count = await counter.next()
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

    /// Counts how often the point was reached.
    private actor FailPointCounter {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }
#endif

extension SweepHooks {
    /// The hooks of this process. Only a debug build has any, if the environment names a point.
    package static var ofProcess: SweepHooks {
        #if DEBUG
            failPoint(ProcessEnvironment.current())
        #else
            SweepHooks()
        #endif
    }
}
