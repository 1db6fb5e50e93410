import Core
import JSON
package import TimeZones

/// A sweep's counts, as the database holds them.
package struct SweepSummary: Sendable, Equatable {
    /// When its last user was settled. nil if no clock was read yet.
    package var at: Instant?
    var users = 0
    var sent = 0
    var rejected = 0
    var deferred = 0
    var unknown = 0
    var skipped = 0
    var dropped = 0
    var milliseconds: Int64 = 0

    init(_ report: SweepReport, at: Instant?) {
        self.at = at
        users = report.users
        sent = report.sent
        rejected = report.rejected
        deferred = report.deferred
        unknown = report.unknown
        skipped = report.skipped
        dropped = report.dropped
        milliseconds = report.milliseconds
    }

    /// One line. Zeros are left out, except for what was sent.
    package var text: String {
        if users == 0 && sent + rejected + deferred + unknown + skipped + dropped == 0 {
            // Not "nobody was due": users of a stopped lane are not claimed either.
            return "no users"
        }
        let counts = [
            (rejected, "rejected"), (deferred, "deferred"), (unknown, "unknown"), (skipped, "skipped"),
            (dropped, "dropped"),
        ].filter { $0.0 > 0 }.map { ", \($0.1) \(Elapsed.grouped($0.0))" }.joined()
        let who = users == 1 ? "1 user" : "\(Elapsed.grouped(users)) users"
        return "sent \(Elapsed.grouped(sent))\(counts) of \(who) in \(milliseconds) ms"
    }

    // MARK: JSON

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("at")
        json.string(at?.rfc3339)
        for (name, count) in [
            ("users", users), ("sent", sent), ("rejected", rejected), ("deferred", deferred), ("unknown", unknown),
            ("skipped", skipped), ("dropped", dropped), ("duration_ms", Int(milliseconds)),
        ] {
            json.key(name)
            json.int(count)
        }
        json.endObject()
    }

    /// nil: it is not an object.
    init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        func count(_ name: String) -> Int { Int(json[name]?.integer ?? 0) }
        at = json["at"]?.text.flatMap { Instant(rfc3339: $0) }
        users = count("users")
        sent = count("sent")
        rejected = count("rejected")
        deferred = count("deferred")
        unknown = count("unknown")
        skipped = count("skipped")
        dropped = count("dropped")
        milliseconds = json["duration_ms"]?.integer ?? 0
    }
}
