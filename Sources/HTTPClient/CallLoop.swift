import CLibCurl
import Glibc

/// The work of the client's thread: it takes calls, runs libcurl and answers. Only that thread uses it.
final class CallLoop {
    private let settings: HTTPClientSettings
    private let multi: MultiHandle
    private let inbox: CallInbox
    private var queue: CallQueue
    /// The calls that wait.
    private var calls: [UInt64: Call] = [:]
    /// The calls that run, by libcurl's handle.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

    init(_ settings: HTTPClientSettings, _ multi: MultiHandle, _ inbox: CallInbox) {
        self.settings = settings
        self.multi = multi
        self.inbox = inbox
        queue = CallQueue(concurrency: settings.concurrency, capacity: settings.queueLength)
    }

    /// Returns when the client is closed and every call is answered.
    func run() {
        holdSignals()
        var isFaulty = false
        while !isFaulty {
            let batch = inbox.take()
            for call in batch.calls { accept(call) }
            for id in batch.cancelled { giveUp(id) }
            if batch.closes { break }
            startAndExpire()
            isFaulty = multi.perform() != CURLM_OK
            // Ended transfers free places: start other calls before the next sleep.
            if collect() { continue }
            if !isFaulty { isFaulty = multi.wait(patience) != CURLM_OK }
        }
        end(isFaulty ? HTTPClientError(.library, "libcurl's transfers failed") : .closed)
    }

    /// A write to a closed connection raises SIGPIPE on the writing thread. It would end a process that doesn't ignore
    /// it. libcurl's own threads inherit this mask.
    private func holdSignals() {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
    }

    /// Milliseconds until the next deadline. `wait` considers libcurl's own timers itself.
    private var patience: Int32 {
        guard let next = queue.nextDeadline else { return .max }
        let left = (next - .now) / .milliseconds(1)
        // Rounded up, or the loop would spin through the last fraction of a millisecond.
        return Int32(min(max(left.rounded(.up), 0), 1_000_000))
    }

    private func accept(_ call: Call) {
        guard queue.add(call.id, deadline: call.deadline) else {
            let text = "\(settings.queueLength) calls already wait; the call to \(call.request.url) was not started"
            return answer(call, .failure(HTTPClientError(.queueFull, text)))
        }
        calls[call.id] = call
    }

    private func startAndExpire() {
        let now = ContinuousClock.now
        let turn = queue.turn(now: now)
        for id in turn.expired {
            if let call = calls.removeValue(forKey: id) ?? abort(id) {
                answer(call, .failure(TransferFailure.timedOut(call.request.url)))
            }
        }
        for id in turn.started {
            if let call = calls.removeValue(forKey: id) { start(call, now: now) }
        }
    }

    private func start(_ call: Call, now: ContinuousClock.Instant) {
        do throws(HTTPClientError) {
            let transfer = try Transfer(call, settings, now: now)
            guard multi.add(transfer.easy) == CURLM_OK else {
                throw HTTPClientError(.library, "libcurl can't start a call to \(call.request.url)")
            }
            transfers[transfer.easy] = transfer
        } catch {
            _ = queue.remove(call.id)
            answer(call, .failure(error))
        }
    }

    /// Answers the calls whose transfers have ended. Returns whether there were any.
    private func collect() -> Bool {
        var isAny = false
        while let (easy, result) = multi.nextEnded() {
            isAny = true
            multi.remove(easy)
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            _ = queue.remove(transfer.call.id)
            answer(transfer.call, transfer.answer(result))
        }
        return isAny
    }

    private func giveUp(_ id: UInt64) {
        // Nil: it was answered meanwhile.
        guard queue.remove(id) != nil else { return }
        let found = calls.removeValue(forKey: id) ?? abort(id)
        if let call = found {
            answer(call, .failure(HTTPClientError(.cancelled, "the call to \(call.request.url) was cancelled")))
        }
    }

    /// Ends a running transfer and its connection.
    private func abort(_ id: UInt64) -> Call? {
        guard let transfer = transfers.values.first(where: { $0.call.id == id }) else { return nil }
        transfers[transfer.easy] = nil
        multi.remove(transfer.easy)
        return transfer.call
    }

    private func answer(_ call: Call, _ answer: Call.Answer) { call.continuation.resume(returning: answer) }

    private func end(_ error: HTTPClientError) {
        let late = inbox.refuse()
        for transfer in transfers.values { multi.remove(transfer.easy) }
        for call in late + calls.values + transfers.values.map(\.call) { answer(call, .failure(error)) }
        calls = [:]
        transfers = [:]
        multi.end()
        inbox.tellEnd()
    }
}
