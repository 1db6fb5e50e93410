public import TimeZones

public import struct FoundationEssentials.UUID

/// A daemon as the database knows it.
public struct DaemonRow: Sendable, Equatable {
    /// Its own for the length of its life.
    public var id: UUID
    /// The name of its host.
    public var host: String
    /// Its process on that host.
    public var pid: Int32
    /// Its program's version.
    public var version: String
    /// When it started.
    public var startedAt: Instant
    /// When it last wrote its row.
    public var seenAt: Instant
    /// Milliseconds since then.
    public var unseenMilliseconds: Int64
    /// How it stood then: a JSON object.
    public var state: String

    /// All of them.
    public init(
        id: UUID,
        host: String,
        pid: Int32,
        version: String,
        startedAt: Instant,
        seenAt: Instant,
        unseenMilliseconds: Int64,
        state: String
    ) {
        self.id = id
        self.host = host
        self.pid = pid
        self.version = version
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.unseenMilliseconds = unseenMilliseconds
        self.state = state
    }
}
