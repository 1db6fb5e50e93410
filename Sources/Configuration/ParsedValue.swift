import Metrics
import NudgedKit
import Policy

/// The value of a key, of the key's type and within its range.
enum ParsedValue: Sendable, Equatable {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case duration(Duration)
    case wallTime(TimeOfDay)
    case endpoint(Configuration.Endpoint)
    case loopback(LoopbackAddress)
    /// `none`, or nothing at all where there is no default.
    case none
}
