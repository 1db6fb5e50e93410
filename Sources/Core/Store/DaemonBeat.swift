package import struct FoundationEssentials.UUID

/// What a daemon writes about itself every few seconds.
package struct DaemonBeat: Sendable {
    /// New at each start of the program.
    package var id: UUID
    package var host: String
    package var pid: Int32
    package var version: String
    /// Milliseconds since the start. The database computes the time of the start from it, since a host's clock may be
    /// wrong.
    package var uptimeMilliseconds: Int64
    /// The daemon's state: a JSON object without U+0000.
    package var state: String

    package init(id: UUID, host: String, pid: Int32, version: String, uptimeMilliseconds: Int64, state: String) {
        self.id = id
        self.host = host
        self.pid = pid
        self.version = version
        self.uptimeMilliseconds = uptimeMilliseconds
        self.state = state
    }
}
