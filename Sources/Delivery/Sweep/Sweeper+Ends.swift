import struct FoundationEssentials.UUID

/// How leases, sweeps and the whole come to their ends.
extension Sweeper {
    /// A lease without open chunks is nobody's any more.
    func retire(_ leaseID: UUID) {
        guard let count = livingLeases[leaseID] else { return }
        livingLeases[leaseID] = count > 1 ? count - 1 : nil
        if livingLeases.isEmpty { wake() }
    }

    func finishIfDone(_ run: SweepRun) {
        guard run.isHandedOver, run.openChunks == 0, run.openPortions == 0, !run.isReported else { return }
        run.isReported = true
        run.report.milliseconds = BootTime.milliseconds() - run.startedAt
        // Now that its pushes are settled: a lane that was connecting before has its answer.
        run.report.isGood = run.isWhole && lanes.doesAnyServe
        openRuns.removeAll { $0 === run }
        finished.add(run.report)
        onEvent(.finished(id: run.id, run.report))
    }

    /// Claims nothing more; chunks under way are settled.
    package func stop() {
        isStopping = true
        stopAsking()
        wake()
    }

    /// Gives up outcomes that the database does not take.
    package func abandon() {
        isAbandoned = true
        wake()
    }

    /// Returns once no intent is open, and nothing waits to be sent.
    package func quiesce() async {
        while openPushes > 0 || !livingLeases.isEmpty || openVerdicts.withLock({ $0 > 0 }) {
            if isAbandoned { return }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func wake() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.resume() }
    }

    /// All sweeps' reports so far, those that go on as well: no count is ever less than before.
    package var totals: SweepReport { openRuns.reduce(into: finished) { $0.add($1.report) } }
}
