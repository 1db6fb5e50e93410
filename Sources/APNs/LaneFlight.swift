internal import struct FoundationEssentials.UUID

/// A push from its submission to its result. It holds no references: the push's text stays in its batch.
struct LaneFlight: Sendable {
    /// What is needed while a push waits and when it ends.
    struct Label: Sendable {
        let tag: UInt64
        let apnsID: UUID
        let writeBy: Int64
    }

    let push: Label
    /// The batch that gets the result.
    let batch: Int
    /// The index of the batch in `LaneFlights`, and indices into the batch's `kinds` and `texts`.
    let place: Int32
    let kind: Int32
    let text: Int32
    /// Differs for each flight in a slot, so a late completion never matches a later flight.
    let serial: UInt32
    var isOver = false
    var trip: LaneTrip
}
