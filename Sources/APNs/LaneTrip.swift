/// Where a flight is and how it got there: all that the handling of an answer needs. It holds no references, so a copy
/// per push costs nothing.
struct LaneTrip: Sendable {
    /// The push that checks whether a stopped lane works again.
    let isProbe: Bool
    /// As in `Push`.
    let isTrial: Bool
    /// The connection that has it. Nil while it waits.
    var link: Int?
    var resends = 0
    /// The number of the provider token of the last attempt.
    var token = 0
    /// The round of `AdaptiveLimit` of the last attempt.
    var round: UInt32 = 0
    /// Whether it was ever given to a connection.
    var wasSubmitted = false

    init(isProbe: Bool, isTrial: Bool) {
        self.isProbe = isProbe
        self.isTrial = isTrial
    }
}
