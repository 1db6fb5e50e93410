/// A push between its handing over and its result.
struct LaneFlight: Sendable {
    let push: Push
    let batch: Int
    /// The one push that tries a stopped lane.
    let isProbe: Bool
    /// Tells a slot's users apart: a late completion finds a later flight there.
    let serial: UInt32
    /// The connection that has it; nil while it waits.
    var link: Int?
    var resends = 0
    /// The provider token that it was last sent with.
    var token = 0
    /// The round of `AdaptiveLimit` in which it was last sent.
    var round: UInt32 = 0
    /// Whether it was ever given to a connection.
    var wasSubmitted = false
}
