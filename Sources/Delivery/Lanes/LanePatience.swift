import TimeZones

/// When users are asked again whose lane takes nothing, while others do.
///
/// They step aside, else each sweep would pass over all of them to find the others' users: for as long as the lane has been crowded already, so
/// that a long stop costs each of them a few updates and a short one a few seconds; spread over twice that, so that its end is no burst.
struct LanePatience: Sendable {
    /// Seconds of the shortest and the longest wait, before the spread.
    static let bounds: ClosedRange<Int64> = 1...450

    /// - Parameters:
    ///   - crowded: milliseconds for which the lane has taken nothing, or less than came.
    ///   - seed: the user's own number.
    static func until(_ now: Instant, crowded: Int64, seed: UInt64) -> Instant {
        let wait = min(max(crowded / 1000, bounds.lowerBound), bounds.upperBound)
        return now + wait + Int64(seed % UInt64(wait + 1))
    }
}
