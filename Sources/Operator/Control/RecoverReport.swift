import Service
import JSON
package import TimeZones

/// What `nudged recover` did.
package struct RecoverReport: Sendable, Equatable {
    /// Nothing older than this is sent, by the database's clock.
    package let at: Instant
    /// Users who are asked again.
    package internal(set) var users = 0
    /// Pushes that the backup held as being sent, now recorded as unknown.
    package internal(set) var unknown = 0

    /// In one line.
    package var words: String {
        "nothing older than \(at.rfc3339) is sent: \(Elapsed.grouped(users)) users are asked again, "
            + "\(Elapsed.grouped(unknown)) pushes that were being sent are recorded as unknown"
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
