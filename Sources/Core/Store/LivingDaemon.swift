package import struct FoundationEssentials.UUID

/// A row of `Query.livingDaemons`: a daemon whose lease has not ended.
package struct LivingDaemon: Sendable, Equatable {
    package let id: UUID
    /// Nil: it has written no row of its own yet, or writes none (`run --once`).
    package let host: String?
    package let pid: Int32?
    /// Milliseconds until its lease ends.
    package let leaseMilliseconds: Int64
}
