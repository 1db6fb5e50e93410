import Service
import JSON
package import TimeZones

/// The result of `nudged recover`.
package struct RecoverReport: Sendable, Equatable {
    /// By the database's clock. Nothing that was due before it is sent.
    package let at: Instant
    /// Users who will be evaluated again.
    package internal(set) var users = 0
    /// Pushes that were in flight when the backup was made. They are now recorded as unknown.
    package internal(set) var unknown = 0

    /// One line.
    package var words: String {
        "nothing older than \(at.rfc3339) is sent: "
            + "\(Elapsed.counted(users, "user", "users")) will be evaluated again, "
            + "\(Elapsed.counted(unknown, "push in flight is", "pushes in flight are")) recorded as unknown"
    }

    /// `{"at", "users", "unknown"}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("at")
        json.string(at.rfc3339)
        for (name, count) in [("users", users), ("unknown", unknown)] {
            json.key(name)
            json.int(count)
        }
        json.endObject()
        return json.string
    }
}
