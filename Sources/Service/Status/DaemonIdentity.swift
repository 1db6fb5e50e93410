import Delivery
import Glibc
import Store

package import struct FoundationEssentials.UUID

/// What a daemon is called in the database, for the length of its life.
package struct DaemonIdentity: Sendable {
    package let id = UUID()
    private let host = HostName.own
    /// The program's.
    private let version: String
    /// CLOCK_BOOTTIME milliseconds.
    private let startedAt = BootTime.milliseconds()

    package init(version: String) { self.version = version }

    /// - Parameter state: how it stands, a JSON object.
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
