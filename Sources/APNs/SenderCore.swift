/// The sender's whole mutable state, behind one lock.
struct SenderCore: Sendable {
    /// The callbacks of one batch, and how many results are still to come.
    struct Batch: Sendable {
        let onResults: @Sendable ([PushResult]) -> Void
        let onQuarantine: @Sendable ([RefusedToken]) -> Void
        var open: Int
        /// Whether a window of answers may still quarantine one of its devices.
        var hasSuspects = false
    }

    /// Something to report to the sender's owner.
    enum SenderNotice: Sendable {
        case log(SenderEvent)
        case status(LaneStatus)
    }

    struct Waiter: Sendable {
        let minimum: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    var state: LaneState
    var configuration: SenderConfiguration
    var tokens: ProviderTokenSource
    var links: [Int: SenderLink] = [:]
    var batches: [Int: Batch] = [:]
    /// Batches that have all results, but may still get a quarantine.
    var suspected: [Int: Batch] = [:]
    var lastBatch = 0
    var waiters: [UInt64: Waiter] = [:]
    var drainers: [CheckedContinuation<Void, Never>] = []
    var lastWaiter: UInt64 = 0
    var notices: [SenderNotice] = []
    /// Whether a thread is delivering notices. It also delivers those that arrive meanwhile, so the order is kept.
    var isNotifying = false
    var lastStatus = LaneStatus.idle
    /// Resolves a host's addresses in tests. Nil: the system does.
    var resolver: (@Sendable (_ host: String) -> [String])?
    /// The instant that the timer is set for.
    var wake: Int64?

    /// Groups results by batch, each with its callback. Batches without open results are removed.
    mutating func deliveries(
        of results: [LaneEffects.Resolved]
    ) -> [(onResults: @Sendable ([PushResult]) -> Void, results: [PushResult])] {
        var grouped: [(batch: Int, results: [PushResult])] = []
        var start = 0
        while start < results.count {
            // Completions of one batch usually come in sequence.
            let batch = results[start].batch
            var end = start + 1
            while end < results.count, results[end].batch == batch { end += 1 }
            let place = grouped.lastIndex { $0.batch == batch } ?? grouped.count
            if place == grouped.count {
                grouped.append((batch, []))
                grouped[place].results.reserveCapacity(end - start)
            }
            for index in start..<end { grouped[place].results.append(results[index].result) }
            start = end
        }
        return grouped.compactMap { group in
            guard var batch = batches[group.batch] else { return nil }
            batch.open -= group.results.count
            if !batch.hasSuspects { batch.hasSuspects = group.results.contains { $0.outcome.isSuspect } }
            batches[group.batch] = batch.open > 0 ? batch : nil
            if batch.open == 0, batch.hasSuspects { suspected[group.batch] = batch }
            return (batch.onResults, group.results)
        }
    }

    /// Groups quarantined devices by batch, each with its callback. Call this after `deliveries`. It removes batches
    /// that have no device in the window any more.
    mutating func quarantines(
        on condemned: [RefusalWindow.Suspect]
    ) -> [(onQuarantine: @Sendable ([RefusedToken]) -> Void, tokens: [RefusedToken])] {
        let found = Dictionary(grouping: condemned, by: \.batch).compactMap { number, suspects in
            (batches[number] ?? suspected[number]).map { ($0.onQuarantine, suspects.map(\.token)) }
        }
        if !suspected.isEmpty {
            let awaited = Set(state.window.suspects.map(\.batch))
            for number in suspected.keys where !awaited.contains(number) { suspected[number] = nil }
        }
        return found
    }

    /// Removes and returns the waiters that have enough free slots now.
    mutating func takeReadyWaiters(now: Int64) -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        let most = state.mostSlots(now: now)
        let free = state.freeSlots(now: now)
        guard free > 0 else { return state.phase == .draining ? takeAllWaiters() : [] }
        let ready = waiters.filter { free >= min($0.value.minimum, most) }
        for waiter in ready { waiters[waiter.key] = nil }
        return ready.map(\.value.continuation)
    }

    private mutating func takeAllWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [:] }
        return waiters.values.map(\.continuation)
    }
}
