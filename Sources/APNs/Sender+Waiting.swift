import Base

extension Sender {
    /// Waits until `freeSlots` is at least `minimum`, or at least all that the lane can have now. Waits at most until
    /// `deadline` (milliseconds of CLOCK_BOOTTIME) and returns `freeSlots`. Returns early if the task is cancelled or
    /// the sender drains.
    public func waitForFreeSlots(atLeast minimum: Int, until deadline: Int64) async -> Int {
        let id = core.withLock { core in
            core.lastWaiter += 1
            return core.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = clock.now()
                let waits = core.withLock { core in
                    let free = core.state.freeSlots(now: now)
                    let isReady = free > 0 && free >= min(minimum, core.state.mostSlots(now: now))
                    // If the task was cancelled before this, the cancellation handler found no waiter to wake.
                    guard !isReady, now < deadline, core.state.phase != .draining, !Task.isCancelled else {
                        return false
                    }
                    core.waiters[id] = SenderCore.Waiter(minimum: minimum, continuation: continuation)
                    return true
                }
                guard waits else { return continuation.resume() }
                clock.wake(deadline) { [weak self] in self?.endWait(id) }
                // Check again: slots may have become free before the waiter was registered.
                handle { _ in .tick }
            }
        } onCancel: {
            endWait(id)
        }
        return freeSlots
    }

    private func endWait(_ id: UInt64) {
        let waiter = core.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume()
    }

    /// Stops the sender. Waiting pushes are unsent at once. Pushes in flight have until `deadline` (milliseconds of
    /// CLOCK_BOOTTIME), then they end as unknown. Returns when every push has its result and every connection is
    /// closed. Later pushes are unsent.
    public func drain(deadline: Int64) async {
        await withCheckedContinuation { continuation in
            handle { core in
                core.drainers.append(continuation)
                return .drain
            }
            clock.wake(deadline) { [weak self] in
                self?.handle { _ in .cutOff }
            }
        }
    }
}
