import Locks

extension Sender {
    /// Waits until `freeSlots` is at least `minimum` (or the most that the lane's connections could give at that
    /// moment), at most until the instant (milliseconds of CLOCK_BOOTTIME), and returns `freeSlots`. Returns early
    /// when the task is cancelled or the sender drained.
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
                    // Cancellation may have come before this: its handler then found nobody to wake.
                    guard !isReady, now < deadline, core.state.phase != .draining, !Task.isCancelled else {
                        return false
                    }
                    core.waiters[id] = SenderCore.Waiter(minimum: minimum, continuation: continuation)
                    return true
                }
                guard waits else { return continuation.resume() }
                clock.wake(deadline) { [weak self] in self?.endWait(id) }
                // What changed between the look and the wait is looked at once more.
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

    /// Stops: pushes that wait are unsent at once, those in flight are awaited until the instant (milliseconds of
    /// CLOCK_BOOTTIME), then cut off as unknown. Returns when every push has its result and every connection is
    /// closed. Pushes handed over later are unsent.
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
