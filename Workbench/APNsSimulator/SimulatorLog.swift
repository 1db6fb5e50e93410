import Glibc
import Base

/// What the simulator has recorded, and the callers that wait for its counts.
final class SimulatorLog: Sendable {
    private struct Waiter {
        let id: UInt64
        let isMet: @Sendable (SimulatorCounts) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
        var timer: Task<Void, any Error>?
    }

    private struct State {
        var counts = SimulatorCounts()
        var received: [ReceivedRequest] = []
        /// The numbers of the provider tokens, from 1.
        var authorizations: [String: Int] = [:]
        var accepted: [AcceptedPush] = []
        var answered: [AnsweredRequest] = []
        /// Equal payloads are kept once, because most check-ins have the same payload.
        var payloads: [[UInt8]: [UInt8]] = [:]
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())
    private let recording: SimulatorSettings.Recording
    /// -1: no file.
    private let file: Int32

    init(settings: SimulatorSettings) throws(SimulatorError) {
        recording = settings.recording
        guard let path = settings.logPath else {
            file = -1
            return
        }
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw SimulatorError(code: .log, context: "can't open \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { if file >= 0 { close(file) } }

    func connectionOpened() {
        change { $0.counts.connections += 1 }
    }

    func held(_ change: Int) {
        self.change { state in
            state.counts.held += change
            state.counts.mostHeld = max(state.counts.mostHeld, state.counts.held)
        }
    }

    /// `request` gets the provider token's number, and is called only if everything is recorded.
    func received(_ authorization: String?, _ request: (Int) -> ReceivedRequest) {
        guard recording == .everything else { return }
        state.withLock { state in
            var number = 0
            if let authorization {
                number = state.authorizations[authorization] ?? state.authorizations.count + 1
                state.authorizations[authorization] = number
            }
            state.received.append(request(number))
        }
    }

    /// Called before the answer is written, so a client that has the answer finds the push in the log.
    func accepted(_ push: AcceptedPush) {
        if file >= 0 {
            var line = push.line
            line.append(10)
            // One write per line, so that a concurrent reader never sees half a line, even if this process ends.
            _ = write(file, line, line.count)
        }
        change { state in
            state.counts.accepted += 1
            guard recording == .everything else { return }
            state.accepted.append(Self.shared(push, &state.payloads))
        }
    }

    func answered(_ request: AnsweredRequest) {
        change { state in
            state.counts.requests += 1
            state.counts.byStatus[request.status, default: 0] += 1
            if !request.reason.isEmpty { state.counts.byReason[request.reason, default: 0] += 1 }
            if recording == .everything { state.answered.append(request) }
        }
    }

    private static func shared(_ push: AcceptedPush, _ payloads: inout [[UInt8]: [UInt8]]) -> AcceptedPush {
        if let known = payloads[push.payload] { return push.with(payload: known) }
        // Limited, because the table is useless if all payloads differ.
        if payloads.count < 1_000 { payloads[push.payload] = push.payload }
        return push
    }

    func counts() -> SimulatorCounts { state.withLock { $0.counts } }

    func snapshot() -> SimulatorSnapshot {
        state.withLock { state in
            SimulatorSnapshot(
                counts: state.counts,
                accepted: state.accepted,
                received: state.received,
                answered: state.answered
            )
        }
    }

    func wait(within limit: Duration, until isMet: @escaping @Sendable (SimulatorCounts) -> Bool) async -> Bool {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.counts) { return true }
                state.waiters.append(Waiter(id: id, isMet: isMet, continuation: continuation))
                return false
            }
            if isMetNow {
                continuation.resume(returning: true)
            } else {
                startTimer(id, limit)
            }
        }
    }

    /// Ends the wait at the limit. The timer or the counts, whichever comes first, removes the waiter, so it resumes
    /// once. The timer starts after the waiter is registered, so that it finds it.
    private func startTimer(_ id: UInt64, _ limit: Duration) {
        let timer = Task {
            try await Task.sleep(for: limit)
            self.give(up: id)
        }
        let isStillWaiting = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return false }
            state.waiters[index].timer = timer
            return true
        }
        if !isStillWaiting { timer.cancel() }
    }

    private func give(up id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func change(_ body: (inout State) -> Void) {
        let met = state.withLock { state -> [Waiter] in
            body(&state)
            if state.waiters.isEmpty { return [] }
            let counts = state.counts
            let met = state.waiters.filter { $0.isMet(counts) }
            let ids = Set(met.map(\.id))
            state.waiters.removeAll { ids.contains($0.id) }
            return met
        }
        for waiter in met {
            waiter.timer?.cancel()
            waiter.continuation.resume(returning: true)
        }
    }
}
