import Base
import Core
import Glibc

package import struct FoundationEssentials.UUID

/// Identifies a daemon in the database, from its start to its end.
package struct DaemonIdentity: Sendable {
    package let id = UUID.random()
    private let host = HostName.own
    /// The program's version.
    private let version: String
    /// CLOCK_BOOTTIME milliseconds.
    private let startedAt = BootTime.milliseconds()

    package init(version: String) { self.version = version }

    /// - Parameter state: the daemon's state, a JSON object.
    func beat(state: String) -> DaemonBeat {
        DaemonBeat(
            id: id,
            host: host,
            pid: getpid(),
            version: version,
            uptimeMilliseconds: BootTime.milliseconds() - startedAt,
            state: state
        )
    }
}
