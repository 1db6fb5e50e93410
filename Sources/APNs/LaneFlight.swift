internal import struct FoundationEssentials.UUID

/// A push between its handing over and its result, without references: what it says stays where it was handed over.
struct LaneFlight: Sendable {
    /// What a flight's end and its waiting are told by.
    struct Label: Sendable {
        let tag: UInt64
        let apnsID: UUID
        let writeBy: Int64
    }

    let push: Label
    /// Whose result it is.
    let batch: Int
    /// Where `LaneFlights` keeps what was handed over with it, and which of its kinds and texts are this one's.
    let place: Int32
    let kind: Int32
    let text: Int32
    /// Tells a slot's users apart: a late completion finds a later flight there.
    let serial: UInt32
    var isOver = false
    var trip: LaneTrip
}
