import Synchronization

/// Sends pushes over the connections of one lane: one (key, environment, topic).
///
/// Every push has exactly one result. All methods may be called from any thread.
public final class Sender: Sendable {
    private let stored: Mutex<SenderConfiguration>

    /// A sender that has no connection yet: the first push opens one.
    ///
    /// - Parameters:
    ///   - configuration: The lane's key, topic and limits.
    ///   - clock: The clocks and the timer; tests hold them.
    ///   - log: Gets what is worth a line; called on any thread, must not block.
    ///   - onStateChange: Gets the status whenever it changed; called on any thread, must not block.
    /// - Throws: `SigningKeyError`-worded `APNsError.unsignedToken` where the key's text is no P-256 key.
    public init(
        configuration: SenderConfiguration,
        clock: SenderClock,
        log: @escaping @Sendable (SenderEvent) -> Void,
        onStateChange: @escaping @Sendable (LaneStatus) -> Void
    ) throws(APNsError) {
        stored = Mutex(configuration)
    }

    /// Sends each push once. `onResults` gets each tag exactly once, several to a call, on any thread (also before
    /// `send` returns); it must not block.
    public func send(_ pushes: [Push], onResults: @escaping @Sendable ([PushResult]) -> Void) {
        onResults(pushes.map { PushResult(tag: $0.tag, outcome: .unsent(reason: "not_built"), apnsID: nil) })
    }

    /// How many pushes may be committed now: their streams are free.
    ///
    /// 1 where no connection is open and one may be dialled, and until a new connection's first push was accepted;
    /// 0 while backing off, resting, draining, or stopped (but for one probe a minute).
    public var freeSlots: Int { 0 }

    /// Waits until `freeSlots` is at least `minimum` (or the most that the lane's limits can ever give), at most
    /// until the instant (milliseconds of CLOCK_BOOTTIME), and returns `freeSlots`. Returns early when the task is
    /// cancelled.
    public func waitForFreeSlots(atLeast minimum: Int, until deadline: Int64) async -> Int { 0 }

    /// How the lane stands.
    public var status: LaneStatus { .idle }

    /// Takes a new key, endpoint or limits: pushes in flight end on their old connections, later ones use new
    /// connections. A stopped lane resumes.
    ///
    /// - Throws: `APNsError.unsignedToken` where the key's text is no P-256 key; the old configuration stays.
    public func reconfigure(_ configuration: SenderConfiguration) throws(APNsError) {
        stored.withLock { $0 = configuration }
    }

    /// Stops: pushes that wait are unsent at once, those in flight are awaited until the instant (milliseconds of
    /// CLOCK_BOOTTIME), then cut off as unknown. Returns when every push has its result and every connection is
    /// closed. Pushes handed over later are unsent.
    public func drain(deadline: Int64) async {}
}
