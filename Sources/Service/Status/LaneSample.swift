import Core
import APNs

/// A lane at one moment.
package struct LaneSample: Sendable {
    var lane: LaneIdentity
    /// Its instants are milliseconds of CLOCK_BOOTTIME.
    var status: LaneStatus
    /// Host and port of a server that is not Apple's. nil: Apple's.
    var otherServer: String?
}
