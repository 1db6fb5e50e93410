/// All that a sender changes, behind one lock.
struct SenderCore: Sendable {
    /// Whose results go where, and how many are still to come.
    struct Batch: Sendable {
        let onResults: @Sendable ([PushResult]) -> Void
        let onQuarantine: @Sendable ([RefusedToken]) -> Void
        var open: Int
        /// A verdict on one of its devices may be awaited.
        var hasSuspects = false
    }

    /// Something to tell, in the order in which it came about.
    enum Notice: Sendable {
        case log(SenderEvent)
        case status(LaneStatus)
    }

    /// A task that waits for free slots.
    struct Waiter: Sendable {
        let minimum: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    var state: LaneState
    var configuration: SenderConfiguration
    var tokens: ProviderTokenSource
    var links: [Int: SenderLink] = [:]
    var batches: [Int: Batch] = [:]
    /// Batches that are through but for a verdict on some of their devices.
    var judged: [Int: Batch] = [:]
    var lastBatch = 0
    var waiters: [UInt64: Waiter] = [:]
    var drainers: [CheckedContinuation<Void, Never>] = []
    var lastWaiter: UInt64 = 0
    var notices: [Notice] = []
    /// Whether some thread is handing notices out: it takes those that come meanwhile, so their order holds.
    var isNotifying = false
    var lastStatus = LaneStatus.idle
    /// Tests say here where a host is; nil: the system does.
    var resolver: (@Sendable (_ host: String) -> [String])?
    /// The instant for which the timer is set.
    var wake: Int64?

    /// Results by batch, each with its callback; batches that are through are forgotten.
    mutating func deliveries(
        of results: [LaneEffects.Resolved]
    ) -> [(onResults: @Sendable ([PushResult]) -> Void, results: [PushResult])] {
        var grouped: [(batch: Int, results: [PushResult])] = []
        var start = 0
        while start < results.count {
            // Completions of one batch come in runs.
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
            if batch.open == 0, batch.hasSuspects { judged[group.batch] = batch }
            return (batch.onResults, group.results)
        }
    }

    /// Verdicts by batch, each with its callback. To be asked after `deliveries`. Batches of which no verdict is awaited any more are forgotten.
    mutating func verdicts(
        on condemned: [VerdictWindow.Suspect]
    ) -> [(onQuarantine: @Sendable ([RefusedToken]) -> Void, tokens: [RefusedToken])] {
        let found = Dictionary(grouping: condemned, by: \.batch).compactMap { number, suspects in
            (batches[number] ?? judged[number]).map { ($0.onQuarantine, suspects.map(\.token)) }
        }
        if !judged.isEmpty {
            let awaited = Set(state.window.suspects.map(\.batch))
            for number in judged.keys where !awaited.contains(number) { judged[number] = nil }
        }
        return found
    }

    /// Waiters whose slots are free now.
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
