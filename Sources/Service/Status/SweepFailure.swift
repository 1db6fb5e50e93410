import JSON
import Postgres
package import TimeZones

/// Why a daemon's sweeps fail, or failed last. It holds no user's data.
package struct SweepFailure: Sendable, Equatable {
    /// The statement that failed, such as `drain`. nil: there was none, such as while connecting.
    package var statement: String?
    /// The SQLSTATE and what the server says.
    package var cause: String
    /// What an operator can do about it.
    package var fix: String?
    /// Since when sweeps failed. nil: no clock was read before.
    package var since: Instant?
    /// When the database accepted a sweep again. nil: sweeps still fail.
    package var until: Instant?

    init(_ error: PostgresError, since: Instant?) {
        statement = error.statement
        cause = error.cause
        fix = error.remedy
        self.since = since
    }

    /// `drain fails: 42P01 relation "nudged.recipient" does not exist`.
    package var text: String { statement.map { "\($0) fails: \(cause)" } ?? cause }

    /// Whether anything but the times differs.
    func isNews(after other: SweepFailure?) -> Bool {
        guard let other else { return true }
        return statement != other.statement || cause != other.cause || (until == nil) != (other.until == nil)
    }

    // MARK: JSON

    /// `{"statement", "cause", "remedy", "since", "until"}`. All but the cause may be null.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.put("statement", statement)
        json.put("cause", cause)
        json.put("remedy", fix)
        json.put("since", since?.rfc3339)
        json.put("until", until?.rfc3339)
        json.endObject()
    }

    /// nil if there is no cause.
    init?(_ json: JSONValue) {
        guard let cause = json["cause"]?.text else { return nil }
        self.cause = cause
        statement = json["statement"]?.text
        fix = json["remedy"]?.text
        since = json["since"]?.text.flatMap { Instant(rfc3339: $0) }
        until = json["until"]?.text.flatMap { Instant(rfc3339: $0) }
    }
}
