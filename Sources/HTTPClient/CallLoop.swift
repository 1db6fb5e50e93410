import CLibCurl
import Glibc
import Base

/// A client's calls, on its thread, with libcurl's multi handle: the running transfers and the kept connections.
///
/// @unchecked Sendable: only the thread uses `multi`, except in `wake`. libcurl allows that from any thread while the
/// handle exists, and `isAlive` guards it.
final class CallLoop: @unchecked Sendable {
    private struct State {
        var queue: CallQueue
        /// Every call without an answer. Who removes one answers it.
        var calls: [UInt64: Call] = [:]
        var lastID: UInt64 = 0
        var isClosed = false
        /// Whether `multi` exists.
        var isAlive = true
        /// The tasks that wait for the thread's end. Nil: it has ended.
        var waiters: [CheckedContinuation<Void, Never>]? = []

        mutating func remove(_ id: UInt64) -> Call? {
            queue.remove(id)
            return calls.removeValue(forKey: id)
        }
    }

    let settings: HTTPClientSettings
    private let curl: UnsafePointer<nudged_curl>
    private let multi: UnsafeMutableRawPointer
    private let state: Mutex<State>

    /// - Throws: `.resources` if there is no memory or descriptor, `.library`.
    init(_ settings: HTTPClientSettings) throws(HTTPClientError) {
        self.settings = settings
        curl = try LibCurl.loaded()
        guard let multi = curl.pointee.multi_init() else {
            throw HTTPClientError(.resources, "no memory or descriptor left for an HTTP client")
        }
        self.multi = multi
        _ = nudged_curl_multi_set_number(curl, multi, CURLMOPT_MAXCONNECTS, max(1, settings.concurrency))
        state = Mutex(State(queue: CallQueue(concurrency: settings.concurrency, capacity: settings.queueLength)))
    }

    deinit { end() }

    // MARK: From other threads

    func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func put(_ call: Call) {
        let refusal: HTTPClientError? = state.withLock { state in
            if state.isClosed { return .closed }
            guard state.queue.add(call.id, deadline: call.deadline) else {
                let text = "\(settings.queueLength) calls already wait; the call to \(call.request.url) was not started"
                return HTTPClientError(.queueFull, text)
            }
            state.calls[call.id] = call
            return nil
        }
        if let refusal { return call.fail(refusal) }
        wake()
    }

    func cancel(_ id: UInt64) {
        // Nil: it was answered meanwhile.
        guard let call = state.withLock({ $0.remove(id) }) else { return }
        call.fail(HTTPClientError(.cancelled, "the call to \(call.request.url) was cancelled"))
        wake()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// Ends the current or next poll.
    private func wake() {
        // Writes to a pipe of libcurl. The lock keeps the handle alive meanwhile.
        state.withLock { if $0.isAlive { _ = curl.pointee.multi_wakeup(multi) } }
    }

    /// Returns when the thread has ended.
    func ended() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                state.waiters?.append(continuation)
                return state.waiters != nil
            }
            if !waits { continuation.resume() }
        }
    }

    // MARK: The thread

    func run() {
        holdSignals()
        // By libcurl's handle.
        var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
        var isFaulty = false
        while !isFaulty, !state.withLock(\.isClosed) {
            startAndExpire(&transfers)
            var running: Int32 = 0
            isFaulty = curl.pointee.multi_perform(multi, &running) != CURLM_OK
            // Ended transfers free places: start other calls before the next sleep.
            if collect(&transfers) { continue }
            if !isFaulty { isFaulty = curl.pointee.multi_poll(multi, nil, 0, patience, nil) != CURLM_OK }
        }
        let left = state.withLock { state in
            state.isClosed = true
            return exchange(&state.calls, with: [:]).values
        }
        for easy in transfers.keys { remove(easy) }
        for call in left { call.fail(isFaulty ? HTTPClientError(.library, "libcurl's transfers failed") : .closed) }
        end()
        for waiter in state.withLock({ exchange(&$0.waiters, with: nil) }) ?? [] { waiter.resume() }
    }

    /// A write to a closed connection raises SIGPIPE on the writing thread. It would end a process that doesn't ignore
    /// it. libcurl's own threads inherit this mask.
    private func holdSignals() {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
    }

    /// Ends a transfer. Its connection is kept only if the answer was complete.
    private func remove(_ easy: UnsafeMutableRawPointer) { _ = curl.pointee.multi_remove_handle(multi, easy) }

    /// Closes every connection. No transfer may be left. Afterwards only `wake` may be called.
    private func end() {
        if state.withLock({ exchange(&$0.isAlive, with: false) }) { _ = curl.pointee.multi_cleanup(multi) }
    }

    /// Milliseconds until the next deadline. libcurl considers its own timers itself.
    private var patience: Int32 {
        guard let next = state.withLock(\.queue.nextDeadline) else { return .max }
        let left = (next - .now) / .milliseconds(1)
        // Rounded up, or the loop would spin through the last fraction of a millisecond.
        return Int32(min(max(left.rounded(.up), 0), 1_000_000))
    }

    private func startAndExpire(_ transfers: inout [UnsafeMutableRawPointer: Transfer]) {
        let now = ContinuousClock.now
        let (started, expired, open) = state.withLock { state in
            let turn = state.queue.turn(now: now)
            let expired = turn.expired.compactMap { state.calls.removeValue(forKey: $0) }
            return (turn.started.compactMap { state.calls[$0] }, expired, Set(state.calls.keys))
        }
        for call in expired { call.fail(.timedOut(call.request.url)) }
        // Ends the connections of calls that were cancelled or have expired.
        for (easy, transfer) in transfers where !open.contains(transfer.call.id) {
            remove(easy)
            transfers[easy] = nil
        }
        for call in started {
            do throws(HTTPClientError) {
                let transfer = try Transfer(call, settings, now: now)
                guard curl.pointee.multi_add_handle(multi, transfer.easy) == CURLM_OK else {
                    throw HTTPClientError(.library, "libcurl can't start a call to \(call.request.url)")
                }
                transfers[transfer.easy] = transfer
            } catch {
                state.withLock { $0.remove(call.id) }?.fail(error)
            }
        }
    }

    /// Answers the calls whose transfers have ended. Returns whether there were any.
    private func collect(_ transfers: inout [UnsafeMutableRawPointer: Transfer]) -> Bool {
        var isAny = false
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message goes with the transfer.
            let result = message.pointee.data.result
            isAny = true
            remove(easy)
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            state.withLock { $0.remove(transfer.call.id) }?.continuation.resume(returning: transfer.answer(result))
        }
        return isAny
    }
}

struct Call: Sendable {
    typealias Answer = Result<HTTPResponse, HTTPClientError>

    let id: UInt64
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// Resumed once.
    let continuation: CheckedContinuation<Answer, Never>

    func fail(_ error: HTTPClientError) { continuation.resume(returning: .failure(error)) }
}

/// Decides which calls run, wait or have expired. At most `concurrency` run and `capacity` wait, in order of arrival.
///
/// libcurl's own time-out is not used: its timer can fire a millisecond early, and then not again (7.88).
struct CallQueue: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Turn: Equatable {
        var expired: [UInt64] = []
        var started: [UInt64] = []
    }

    private let concurrency: Int
    private let capacity: Int
    /// In order of arrival. The first `running` run.
    private var calls: [(id: UInt64, deadline: Instant)] = []
    private var running = 0

    init(concurrency: Int, capacity: Int) {
        self.concurrency = max(1, concurrency)
        self.capacity = max(0, capacity)
    }

    var nextDeadline: Instant? { calls.lazy.map(\.deadline).min() }

    /// Adds a call, which `turn` starts. Returns false if too many calls wait.
    mutating func add(_ id: UInt64, deadline: Instant) -> Bool {
        guard calls.count < capacity + concurrency else { return false }
        calls.append((id, deadline))
        return true
    }

    mutating func remove(_ id: UInt64) {
        guard let place = calls.firstIndex(where: { $0.id == id }) else { return }
        calls.remove(at: place)
        if place < running { running -= 1 }
    }

    /// Removes expired calls and starts as many as fit.
    mutating func turn(now: Instant) -> Turn {
        let expired = calls.filter { $0.deadline <= now }.map(\.id)
        for id in expired { remove(id) }
        let started = calls.prefix(concurrency).dropFirst(running).map(\.id)
        running += started.count
        return Turn(expired: expired, started: started)
    }
}
