package import FoundationEssentials
import Postgres
package import TimeZones

/// A slice of pushes that are about to be written. It is durable before the first byte.
package struct Intent: Sendable {
    package var id: UUID = UUID.random()
    /// The membership that owns the users' ranges.
    package let member: UUID
    /// The sweep, for the record.
    package let sweepID: UUID
    /// The policy's now.
    package let attemptedAt: Instant
    /// Microseconds to add to `attemptedAt`, 0 to 999,999, from a counter. With them, two attempts in one second have
    /// two instants in the record.
    package var fraction: Int32 = 0
    /// What is recorded of each user if the daemon dies now.
    package let changes: [Change]
    /// The messages and reminders in it. They are locked against cancellation until the commit.
    package var messages: [MessageReference] = []

    /// For `Query.intent`.
    var parameters: [Parameter] {
        [
            .uuid(id), .uuid(member), .uuid(sweepID), .timestamp(attemptedAt.microseconds &+ Int64(fraction)),
            .uuidArray(changes.map(\.userID)), .int4Array(changes.map(\.turn)), .byteaArray(changes.map(\.content)),
            .uuidArray(messages.map(\.id)),
        ]
    }
}
