import Dispatch
import Glibc
import Synchronization

/// What a child wrote to one of its streams. A thread of its own reads it, so the child never waits for us.
final class CapturedStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isOpen = false
        var waiters: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let closed = DispatchGroup()

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Takes ownership of the reading end of a pipe.
    func drain(_ descriptor: Int32) {
        state.withLock { $0.isOpen = true }
        closed.enter()
        DispatchQueue(label: "nudged.child.output").async {
            self.readAll(descriptor)
            close(descriptor)
            self.update { $0.isOpen = false }
            self.closed.leave()
        }
    }

    func wait(until limit: DispatchTime) {
        _ = closed.wait(timeout: limit)
    }

    /// The length of both together, and whether more can come.
    static func state(_ first: CapturedStream, _ second: CapturedStream) -> (length: Int, isOpen: Bool) {
        let a = first.state.withLock { ($0.bytes.count, $0.isOpen) }
        let b = second.state.withLock { ($0.bytes.count, $0.isOpen) }
        return (a.0 + b.0, a.1 || b.1)
    }

    /// Returns when both together have more than `length`, or one closes, or the time is up.
    static func waitForMore(
        _ first: CapturedStream,
        _ second: CapturedStream,
        than length: Int,
        until limit: DispatchTime
    ) {
        let semaphore = DispatchSemaphore(value: 0)
        first.state.withLock { $0.waiters.append(semaphore) }
        second.state.withLock { $0.waiters.append(semaphore) }
        // It registers before it looks, so that nothing in between is missed.
        let now = state(first, second)
        if now.length == length, now.isOpen { _ = semaphore.wait(timeout: limit) }
        first.state.withLock { $0.waiters.removeAll { $0 === semaphore } }
        second.state.withLock { $0.waiters.removeAll { $0 === semaphore } }
    }

    private func readAll(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            update { $0.bytes.append(contentsOf: buffer[0..<count]) }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }
}
