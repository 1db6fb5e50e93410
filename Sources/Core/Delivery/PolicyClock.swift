import Base
import Synchronization
package import TimeZones

/// The policy's `now`: the database's clock, carried on CLOCK_BOOTTIME. Tests and the demo use a simulated clock. The
/// host's wall clock is never read: all daemons agree, and a host with a wrong clock sends nothing early.
package final class PolicyClock: Sendable {
    private enum Source {
        /// The database's clock was `microseconds` when CLOCK_BOOTTIME was `bootMilliseconds`.
        case database(microseconds: Int64, bootMilliseconds: Int64)
        case unread
        case simulated(Instant)
    }

    private let source: Mutex<Source>

    /// - Parameter instant: where a simulated clock stays until `turn(to:)` changes it. nil: the database's clock.
    package init(at instant: Instant? = nil) { source = Mutex(instant.map(Source.simulated) ?? .unread) }

    /// The current instant in whole seconds, rounded down. nil before the first reading.
    package var now: Instant? { milliseconds.map { Instant(seconds: ($0 >= 0 ? $0 : $0 - 999) / 1000) } }

    /// Milliseconds since 1970, for what must not happen after an instant. nil before the first reading.
    var milliseconds: Int64? {
        source.withLock { source in
            switch source {
            case .unread: nil
            case .simulated(let instant): instant.seconds * 1000
            case .database(let microseconds, let boot): microseconds / 1000 + BootTime.milliseconds() - boot
            }
        }
    }

    /// Milliseconds. A slower answer does not show exactly enough when the clock was read.
    private static let longestAnswer: Int64 = 250

    /// Takes a reading of the database's clock, made between question and answer. A simulated clock does not change.
    func anchor(databaseMicroseconds: Int64, asked: Int64, answered: Int64 = BootTime.milliseconds()) {
        source.withLock { source in
            switch source {
            case .simulated: return
            case .database where answered - asked > Self.longestAnswer: return
            case .database, .unread:
                let middle = asked + (answered - asked) / 2
                source = .database(microseconds: databaseMicroseconds, bootMilliseconds: middle)
            }
        }
    }

    /// Sets a simulated clock. Does nothing to any other.
    package func turn(to instant: Instant) { source.withLock { if case .simulated = $0 { $0 = .simulated(instant) } } }
}
