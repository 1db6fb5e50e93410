import Base
import CNGHTTP2
import Glibc

/// Messages of other threads to a client connection's thread.
final class ClientInbox: Sendable {
    typealias Requests = [(submission: Submission, slots: Range<Int>)]

    private struct State {
        /// Since the last `take`.
        var requests: Requests = []
        var isToClose = false
        /// Whether the loop sleeps or is about to. Only then does a message cost a system call.
        var isAsleep = true
        var isStarted = false
        var isFinished = false
    }

    let wake = WakeDescriptor()
    private let state = Mutex(State())

    /// True for the first call only.
    func begin() -> Bool { state.withLock { !exchange(&$0.isStarted, with: true) } }

    /// Returns false if the connection has ended.
    func put(_ submission: Submission, _ slots: Range<Int>) -> Bool {
        change { state in
            if !state.isFinished { state.requests.append((submission, slots)) }
            return !state.isFinished
        }
    }

    func close() { change { $0.isToClose = true } }

    /// Takes the requests since the last call. Nil: the connection is to close. The loop counts as awake from now on.
    func take() -> Requests? {
        state.withLock { state in
            state.isAsleep = false
            return state.isToClose ? nil : exchange(&state.requests, with: [])
        }
    }

    /// Whether the loop may sleep. If so, nothing has arrived meanwhile, and the next message signals.
    func goToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.requests.isEmpty && !state.isToClose
            return state.isAsleep
        }
    }

    /// Whether the connection is to close. The next message signals, whatever waits: for one that is still dialling.
    func isToClose() -> Bool {
        state.withLock { state in
            state.isAsleep = true
            return state.isToClose
        }
    }

    /// Waits for the descriptor, a signal or the time. Returns what the descriptor is ready for.
    func poll(_ descriptor: Int32, _ events: Int16, _ milliseconds: Int32) -> Int16 {
        var descriptors = (
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
        )
        _ = withUnsafeMutableBytes(of: &descriptors) { bytes in
            Glibc.poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        if descriptors.1.revents != 0 { wake.clear() }
        return descriptors.0.revents
    }

    /// Takes the rest and refuses all later requests.
    func finish() -> Requests {
        state.withLock { state in
            state.isFinished = true
            return exchange(&state.requests, with: [])
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, signals) = state.withLock { (body(&$0), exchange(&$0.isAsleep, with: false)) }
        if signals { wake.signal() }
        return result
    }
}

/// An eventfd that ends another thread's poll. It is closed on deinit.
package struct WakeDescriptor: ~Copyable, Sendable {
    /// The descriptor to poll for reading. -1 if the system had none left.
    package let descriptor: Int32

    package init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Ends the current or next poll.
    package func signal() {
        let descriptor = descriptor
        Self.insist {
            var one: UInt64 = 1
            return Glibc.write(descriptor, &one, 8) == 8 ? 0 : errno
        }
    }

    /// Tries again a few times. A lost wake-up would leave its thread asleep until the next PING is due.
    /// `attempt` returns 0 or the system's error number.
    static func insist(_ attempt: () -> Int32) {
        for _ in 0..<8 {
            let error = attempt()
            // EAGAIN: the counter is full, so the poll ends anyway.
            if error == 0 || error == EAGAIN { return }
        }
    }

    package func clear() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, 8)
    }
}
