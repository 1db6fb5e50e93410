package import Core
import JSON
import Postgres
package import TimeZones
import APNs

package struct DaemonState: Sendable, Equatable {
    /// Milliseconds from one write of the row to the next if nothing changes.
    static let interval: Int64 = 10_000

    /// The main app's lane first.
    package var lanes: [LaneReport] = []
    package var decision: DecisionStatus?
    /// The last sweep, even if it found nobody.
    package var lastSweep: SweepSummary?
    package var lastWork: SweepSummary?
    package var lastGood: Instant?
    /// Why sweeps fail, or failed last. nil: none did since the start.
    package var failure: SweepFailure?
    /// Users served a minute, measured over the last ten seconds.
    package var usersPerMinute = 0
    package var inFlight = 0
    /// Log lines that could not be written since the start.
    package var lostLines = 0
    /// From the start of one sweep to the next.
    package var intervalMilliseconds: Int64 = 0

    /// Whether the row is written at once: a lane or the decision service has changed, or sweeps began or ceased to
    /// fail.
    func isNews(after other: DaemonState) -> Bool {
        lanes.count != other.lanes.count || decision?.state != other.decision?.state
            || failure?.isNews(after: other.failure) == true
            || zip(lanes, other.lanes).contains { $0.isNews(after: $1) }
    }
}

extension DaemonState {
    var json: String {
        Fields.text([
            "lanes": lanes.map(\.fields), "decision": decision?.fields, "last_sweep": lastSweep?.fields,
            "last_work": lastWork?.fields, "last_good": lastGood?.rfc3339, "failure": failure?.fields,
            "users_per_minute": usersPerMinute, "in_flight": inFlight, "lost_lines": lostLines,
            "interval_ms": intervalMilliseconds,
        ])
    }

    /// Reads the members that it knows. Another version may write more or fewer. nil: it is not an object.
    package init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), case .object = json else { return nil }
        self.init()
        if case .array(let found) = json["lanes"] { lanes = found.compactMap { LaneReport($0) } }
        decision = json["decision"].flatMap { DecisionStatus($0) }
        lastSweep = json["last_sweep"].flatMap { SweepSummary($0) }
        lastWork = json["last_work"].flatMap { SweepSummary($0) }
        lastGood = json.instant("last_good")
        failure = json["failure"].flatMap { SweepFailure($0) }
        usersPerMinute = Int(json["users_per_minute"]?.integer ?? 0)
        inFlight = Int(json["in_flight"]?.integer ?? 0)
        lostLines = Int(json["lost_lines"]?.integer ?? 0)
        intervalMilliseconds = json["interval_ms"]?.integer ?? 0
    }
}

extension DaemonRow {
    /// Whether the daemon wrote it lately. A row from far in the future is old too: the database's clock was set back.
    package var isAlive: Bool { abs(unseenMilliseconds) < 3 * DaemonState.interval }
}

extension JSONValue { func instant(_ key: String) -> Instant? { self[key]?.text.flatMap { Instant(rfc3339: $0) } } }

package struct SweepSummary: Sendable, Equatable {
    /// When its last user was settled. nil if no clock was read yet.
    package var at: Instant?
    /// The keys are those of `names`.
    private var counts: [String: Int]

    private static let outcomes = ["sent", "rejected", "deferred", "unknown", "skipped", "dropped"]
    private static let names = ["users"] + outcomes + ["duration_ms"]

    init(_ report: SweepReport, at: Instant?) {
        self.at = at
        counts = report.counts.reduce(into: [:]) { if Self.names.contains($1.name) { $0[$1.name] = $1.count } }
        counts["duration_ms"] = Int(report.milliseconds)
    }

    /// One line. Zeros are left out, except for what was sent.
    package var text: String {
        let users = counts["users", default: 0]
        // Not "nobody was due": users of a stopped lane are not claimed either.
        if users == 0, Self.outcomes.allSatisfy({ counts[$0, default: 0] == 0 }) { return "no users" }
        let said = Self.outcomes.filter { $0 == "sent" || counts[$0, default: 0] > 0 }
            .map { "\($0) \(Elapsed.grouped(counts[$0, default: 0]))" }.joined(separator: ", ")
        let time = "\(counts["duration_ms", default: 0]) ms"
        return "\(said) of \(Elapsed.counted(users, "user", "users")) in \(time)"
    }

    var fields: Fields { ["at": at?.rfc3339] + Fields(Self.names.map { ($0, counts[$0] ?? 0) }) }

    init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        at = json.instant("at")
        counts = Self.names.reduce(into: [:]) { $0[$1] = Int(json[$1]?.integer ?? 0) }
    }
}

/// Why a daemon's sweeps fail, or failed last. It holds no user's data.
package struct SweepFailure: Sendable, Equatable {
    /// The statement that failed, such as `drain`. nil: there was none, such as while connecting.
    package var statement: String?
    package var cause: String
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

    var fields: Fields {
        ["statement": statement, "cause": cause, "remedy": fix, "since": since?.rfc3339, "until": until?.rfc3339]
    }

    init?(_ json: JSONValue) {
        guard let cause = json["cause"]?.text else { return nil }
        self.cause = cause
        statement = json["statement"]?.text
        fix = json["remedy"]?.text
        since = json.instant("since")
        until = json.instant("until")
    }
}

package struct LaneReport: Sendable, Equatable {
    package static let idle = "idle"
    package static let open = "open"
    package static let backingOff = "backing_off"
    package static let stopped = "stopped"
    static let states = [idle, open, "connecting", backingOff, stopped, "resting", "draining"]

    package var lane: LaneIdentity
    /// Host and port of a server that is not Apple's. nil: Apple's.
    package var otherServer: String?
    /// One of `states`. Not an enum, so that the name from a newer daemon is shown as it is.
    package var state: String
    /// Why it does not send: Apple's reason, or nudged's own in snake case or as text.
    package var reason: String?
    package var remedy: String?
    package var since: Instant?
    package var nextProbe: Instant?

    /// A lane whose state begins now: `status` does not say since when. `now`: nil until a clock was read. `boot`: the
    /// same in milliseconds of CLOCK_BOOTTIME, as are the status's instants.
    init(_ lane: LaneIdentity, _ status: LaneStatus, now: Instant?, boot: Int64) {
        self.lane = lane
        since = now
        // An instant in the past counts as now.
        func instant(_ time: Int64) -> Instant? { now.map { $0 + (max(time, boot) - boot) / 1000 } }
        switch status {
        case .idle: state = Self.idle
        case .open: state = Self.open
        case .connecting: state = "connecting"
        case .draining: state = "draining"
        case .resting(let until):
            (state, reason, nextProbe) = ("resting", "TooManyProviderTokenUpdates", instant(until))
        case .backingOff(let until, let why): (state, reason, nextProbe) = (Self.backingOff, why, instant(until))
        case .stopped(let why, let fix, let probe):
            (state, reason, remedy, nextProbe) = (Self.stopped, why, fix, instant(probe))
        }
    }

    /// Whether anything but the times differs.
    func isNews(after other: LaneReport) -> Bool {
        var same = other
        (same.since, same.nextProbe) = (since, nextProbe)
        return self != same
    }

    var fields: Fields {
        [
            "environment": lane.environment, "topic": lane.topic, "other_server": otherServer,
            "state": state, "reason": reason?.oneLine, "remedy": remedy?.oneLine, "since": since?.rfc3339,
            "next_probe": nextProbe?.rfc3339,
        ]
    }

    init?(_ json: JSONValue) {
        guard let environment = json["environment"]?.text, let topic = json["topic"]?.text,
            let state = json["state"]?.text
        else { return nil }
        lane = LaneIdentity(environment: environment, topic: topic)
        otherServer = json["other_server"]?.text
        self.state = state
        reason = json["reason"]?.text
        remedy = json["remedy"]?.text
        since = json.instant("since")
        nextProbe = json.instant("next_probe")
    }
}
