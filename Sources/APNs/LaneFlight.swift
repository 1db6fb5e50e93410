/// A push between its handing over and its result.
struct LaneFlight: Sendable {
    let push: Push
    let batch: Int
    /// Tells a slot's users apart: a late completion finds a later flight there.
    let serial: UInt32
    var trip: LaneTrip
}
