/// Where a flight is and how it got there: all that an answer is judged by. A value without references, so that
/// looking at it costs nothing per push.
struct LaneTrip: Sendable {
    /// The one push that tries a stopped lane.
    let isProbe: Bool
    /// The connection that has it; nil while it waits.
    var link: Int?
    var resends = 0
    /// The provider token that it was last sent with.
    var token = 0
    /// The round of `AdaptiveLimit` in which it was last sent.
    var round: UInt32 = 0
    /// Whether it was ever given to a connection.
    var wasSubmitted = false

    init(isProbe: Bool) {
        self.isProbe = isProbe
    }
}
