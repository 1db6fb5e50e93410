import CLibCurl
import Glibc

/// What the client's thread does: takes calls, drives libcurl, answers. All of it is used on that thread only.
final class ClientLoop {
    private let settings: HTTPClientSettings
    private let multi: MultiHandle
    private let inbox: ClientInbox
    private var queue: CallQueue
    /// Those that wait.
    private var calls: [UInt64: Call] = [:]
    /// Those that run, by libcurl's handle.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

    init(_ settings: HTTPClientSettings, _ multi: MultiHandle, _ inbox: ClientInbox) {
        self.settings = settings
        self.multi = multi
        self.inbox = inbox
        queue = CallQueue(concurrency: settings.concurrency, capacity: settings.queueLength)
    }

    /// Returns when the client is closed and everybody was answered.
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
            // Those that have ended make room for others, which are begun before the next sleep.
            if collect() { continue }
            if !isFaulty { isFaulty = multi.wait(patience) != CURLM_OK }
        }
        end(isFaulty ? HTTPClientError(.library, "libcurl's transfers failed") : .closed)
    }

    /// A write to a connection that is gone raises SIGPIPE on the writing thread, and would end a process that doesn't ignore it. libcurl's own
    /// threads inherit this mask.
    private func holdSignals() {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
    }

    /// Milliseconds until somebody is too late. (libcurl's own timers `wait` knows.)
    private var patience: Int32 {
        guard let next = queue.nextDeadline else { return .max }
        let left = (next - .now) / .milliseconds(1)
        // Up, else the last fraction would be spun away.
        return Int32(min(max(left.rounded(.up), 0), 1_000_000))
    }

    private func accept(_ call: Call) {
        guard queue.add(call.id, deadline: call.deadline) else {
            let words = "\(settings.queueLength) calls wait already; the one to \(call.request.url) was not begun"
            return answer(call, .failure(HTTPClientError(.queueFull, words)))
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
                throw HTTPClientError(.library, "libcurl doesn't begin a call to \(call.request.url)")
            }
            transfers[transfer.easy] = transfer
        } catch {
            _ = queue.remove(call.id)
            answer(call, .failure(error))
        }
    }

    /// Answers those that have ended. Whether there were any.
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
        // nil: it was answered meanwhile.
        guard queue.remove(id) != nil else { return }
        let found = calls.removeValue(forKey: id) ?? abort(id)
        if let call = found {
            answer(call, .failure(HTTPClientError(.cancelled, "the call to \(call.request.url) was cancelled")))
        }
    }

    /// Ends a running transfer, and its connection.
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
