import struct FoundationEssentials.UUID

/// Spreads that could not be gone on with: somebody holds them, or the app's view refuses. They are left for a while, longer each time, so that they hold up
/// nobody else. Where the view does not answer in time, all are: each would hold up the claims for as long. Milliseconds, of CLOCK_BOOTTIME.
struct SpreadMemory: Sendable {
    private static let pause: Int64 = 5_000
    private static let longestPause: Int64 = 600_000
    /// What the view is given at first; twice as much each time that it was not enough.
    private static let firstPatience: Int64 = 2_000

    private var left: [UUID: (until: Int64, failures: Int)] = [:]
    private var restsUntil: Int64 = .min
    private var timeouts = 0

    /// Those to leave; nil: all.
    func left(at now: Int64) -> [UUID]? {
        now < restsUntil ? nil : left.filter { $0.value.until > now }.map(\.key)
    }

    /// How long the view may take now.
    var patience: Int64 { Self.firstPatience << Int64(min(timeouts, 10)) }

    mutating func leave(_ id: UUID, at now: Int64) {
        let failures = (left[id]?.failures ?? 0) + 1
        left[id] = (now + Self.pause(failures), failures)
        // Long gone: what is asked again is noted again.
        if left.count > 1_000 { left = left.filter { $0.value.until > now } }
    }

    /// The view took too long.
    mutating func rest(at now: Int64) {
        timeouts += 1
        // Five times what it took, at least.
        restsUntil = now + max(Self.pause(timeouts), min(5 * patience, Self.longestPause))
    }

    /// It was gone on with.
    mutating func wentOn(_ id: UUID) {
        left[id] = nil
        timeouts = 0
    }

    private static func pause(_ failures: Int) -> Int64 { min(pause << Int64(min(failures - 1, 10)), longestPause) }
}
