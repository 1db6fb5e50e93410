package import struct FoundationEssentials.UUID

/// What a daemon says of itself every few seconds.
package struct DaemonBeat: Sendable {
    /// Its own for the length of its life.
    package var id: UUID
    /// The name of its host.
    package var host: String
    /// Its process on that host.
    package var pid: Int32
    /// Its program's version.
    package var version: String
    /// Milliseconds since it started. The database turns them into an instant: a host's clock may be wrong.
    package var uptimeMilliseconds: Int64
    /// How it stands: a JSON object without U+0000.
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
