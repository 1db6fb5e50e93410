package import TimeZones

package import struct FoundationEssentials.UUID

/// A daemon as the database knows it.
package struct DaemonRow: Sendable, Equatable {
    /// Its own for the length of its life.
    package var id: UUID
    /// The name of its host.
    package var host: String
    /// Its process on that host.
    package var pid: Int32
    /// Its program's version.
    package var version: String
    /// When it started.
    package var startedAt: Instant
    /// When it last wrote its row.
    package var seenAt: Instant
    /// Milliseconds since then.
    package var unseenMilliseconds: Int64
    /// How it stood then: a JSON object.
    package var state: String
    /// Ranges that it owns, of 64.
    package var ranges: Int
    /// Until when its lease lasts; nil: it is no member.
    package var aliveUntil: Instant?

    package init(
        id: UUID,
        host: String,
        pid: Int32,
        version: String,
        startedAt: Instant,
        seenAt: Instant,
        unseenMilliseconds: Int64,
        state: String,
        ranges: Int = 0,
        aliveUntil: Instant? = nil
    ) {
        self.id = id
        self.host = host
        self.pid = pid
        self.version = version
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.unseenMilliseconds = unseenMilliseconds
        self.state = state
        self.ranges = ranges
        self.aliveUntil = aliveUntil
    }
}
