package import TimeZones

package import struct FoundationEssentials.UUID

/// A row of `Query.daemons`.
package struct DaemonRow: Sendable, Equatable {
    /// New at each start of the program.
    package var id: UUID
    package var host: String
    package var pid: Int32
    package var version: String
    package var startedAt: Instant
    /// When it last wrote its row.
    package var seenAt: Instant
    /// Milliseconds since `seenAt`, by the database's clock.
    package var unseenMilliseconds: Int64
    /// Its state at `seenAt`: a JSON object.
    package var state: String
    /// The ranges that it owns, of -32 to 31, in order.
    package var ranges: [Int16] = []
    /// When its lease ends; nil: it is no member.
    package var aliveUntil: Instant?
}
