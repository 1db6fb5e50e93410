import Base
import Metrics
import NudgedPreferences
import Policy

/// A key's value, of the key's type and in its range.
enum ParsedValue: Sendable, Equatable {
    case text(String)
    /// A signing key's text.
    case secret(Secret)
    case integer(Int)
    case boolean(Bool)
    case duration(Duration)
    case wallTime(TimeOfDay)
    case endpoint(Configuration.Endpoint)
    case loopback(LoopbackAddress)
    /// No value: `none`, null, nothing written and no default, or a wrong value.
    case none
}
