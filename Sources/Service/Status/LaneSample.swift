import Planning
import APNs

/// A lane at one moment.
package struct LaneSample: Sendable {
    /// Whose pushes it takes.
    var lane: LaneIdentity
    /// How it stands; its instants are milliseconds of CLOCK_BOOTTIME.
    var status: LaneStatus
}
