public import struct FoundationEssentials.UUID

/// What a daemon says of itself every few seconds.
public struct DaemonBeat: Sendable {
    /// Its own for the length of its life.
    public var id: UUID
    /// The name of its host.
    public var host: String
    /// Its process on that host.
    public var pid: Int32
    /// Its program's version.
    public var version: String
    /// Milliseconds since it started. The database turns them into an instant: a host's clock may be wrong.
    public var uptimeMilliseconds: Int64
    /// How it stands: a JSON object without U+0000.
    public var state: String

    /// All of them.
    public init(id: UUID, host: String, pid: Int32, version: String, uptimeMilliseconds: Int64, state: String) {
        self.id = id
        self.host = host
        self.pid = pid
        self.version = version
        self.uptimeMilliseconds = uptimeMilliseconds
        self.state = state
    }
}
