import TimeZones

/// When users of a full lane are due again, while other lanes send.
///
/// They are postponed, because each sweep would pass over all of them to find the users of other lanes. The wait is as
/// long as the lane has been full. So a long stop costs each user few updates, and a short one a few seconds. Jitter
/// doubles the wait at most, so that its end is no burst.
struct LanePatience: Sendable {
    /// The shortest and the longest wait in seconds, without jitter.
    static let bounds: ClosedRange<Int64> = 1...450

    /// - Parameters:
    ///   - full: milliseconds for which the lane has been full.
    ///   - seed: the user's own number, for the jitter.
    static func until(_ now: Instant, full: Int64, seed: UInt64) -> Instant {
        let wait = min(max(full / 1000, bounds.lowerBound), bounds.upperBound)
        return now + wait + Int64(seed % UInt64(wait + 1))
    }
}
