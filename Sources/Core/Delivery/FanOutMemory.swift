import struct FoundationEssentials.UUID

/// Remembers fan-outs that failed, because somebody holds the row or the app's view refuses. Each is left out for a
/// while, longer each time, so that it delays no other. If the view does not answer in time, all are left out, since
/// each would delay the claims.
///
/// Instants are milliseconds of CLOCK_BOOTTIME.
struct FanOutMemory: Sendable {
    private static let pause: Int64 = 5_000
    private static let longestPause: Int64 = 600_000
    /// The view's first time-out. It doubles each time it was too short.
    private static let firstPatience: Int64 = 2_000

    private var left: [UUID: (until: Int64, failures: Int)] = [:]
    private var restsUntil: Int64 = .min
    private var timeouts = 0

    /// The fan-outs to leave out now. nil: all.
    func left(at now: Int64) -> [UUID]? {
        now < restsUntil ? nil : left.filter { $0.value.until > now }.map(\.key)
    }

    /// The view's time-out now, in milliseconds.
    var patience: Int64 { Self.firstPatience << Int64(min(timeouts, 10)) }

    mutating func leave(_ id: UUID, at now: Int64) {
        let failures = (left[id]?.failures ?? 0) + 1
        left[id] = (now + Self.pause(failures), failures)
        // Forget old ones. If they fail again, they are noted again.
        if left.count > 1_000 { left = left.filter { $0.value.until > now } }
    }

    /// The view timed out.
    mutating func rest(at now: Int64) {
        timeouts += 1
        // At least five times the next time-out, up to ten minutes: the view must not use up the time of the claims.
        restsUntil = now + max(Self.pause(timeouts), min(5 * patience, Self.longestPause))
    }

    /// The fan-out made progress.
    mutating func wentOn(_ id: UUID) {
        left[id] = nil
        timeouts = 0
    }

    private static func pause(_ failures: Int) -> Int64 { min(pause << Int64(min(failures - 1, 10)), longestPause) }
}
