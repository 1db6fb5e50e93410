package import Core
import JSON
package import TimeZones

/// The state of a daemon, as its row in `nudged.daemon` holds it.
package struct DaemonState: Sendable, Equatable {
    /// The main app's lane first.
    package var lanes: [LaneReport]
    /// nil: no decision service is configured.
    package var decision: DecisionStatus?
    /// The last sweep, even if it found nobody.
    package var lastSweep: SweepSummary?
    /// The last sweep that did something.
    package var lastWork: SweepSummary?
    /// When the last good sweep ended.
    package var lastGood: Instant?
    /// Why sweeps fail, or failed last. nil: none did since the start.
    package var failure: SweepFailure?
    /// Users served a minute, measured over the last ten seconds.
    package var usersPerMinute: Int
    /// Pushes whose intents are open.
    package var inFlight: Int
    /// Log lines that could not be written since the start.
    package var lostLines: Int
    /// From the start of one sweep to the next.
    package var intervalMilliseconds: Int64

    init(
        lanes: [LaneReport],
        decision: DecisionStatus? = nil,
        lastSweep: SweepSummary?,
        lastWork: SweepSummary?,
        lastGood: Instant? = nil,
        failure: SweepFailure? = nil,
        usersPerMinute: Int = 0,
        inFlight: Int,
        lostLines: Int = 0,
        intervalMilliseconds: Int64
    ) {
        self.lanes = lanes
        self.decision = decision
        self.lastSweep = lastSweep
        self.lastWork = lastWork
        self.lastGood = lastGood
        self.failure = failure
        self.usersPerMinute = usersPerMinute
        self.inFlight = inFlight
        self.lostLines = lostLines
        self.intervalMilliseconds = intervalMilliseconds
    }

    /// One JSON object.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("lanes")
        json.beginArray()
        for lane in lanes { lane.write(to: &json) }
        json.endArray()
        json.key("decision")
        if let decision { decision.write(to: &json) } else { json.null() }
        for (name, sweep) in [("last_sweep", lastSweep), ("last_work", lastWork)] {
            json.key(name)
            if let sweep { sweep.write(to: &json) } else { json.null() }
        }
        json.put("last_good", lastGood?.rfc3339)
        json.key("failure")
        if let failure { failure.write(to: &json) } else { json.null() }
        json.key("users_per_minute")
        json.int(usersPerMinute)
        json.key("in_flight")
        json.int(inFlight)
        json.key("lost_lines")
        json.int(lostLines)
        json.key("interval_ms")
        json.int(intervalMilliseconds)
        json.endObject()
        return json.string
    }

    /// Reads the members that it knows. Another version may write more or fewer. nil: it is not an object.
    package init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), case .object = json else { return nil }
        lanes = []
        if case .array(let found) = json["lanes"] { lanes = found.compactMap { LaneReport($0) } }
        decision = json["decision"].flatMap { DecisionStatus($0) }
        lastSweep = json["last_sweep"].flatMap { SweepSummary($0) }
        lastWork = json["last_work"].flatMap { SweepSummary($0) }
        lastGood = json["last_good"]?.text.flatMap { Instant(rfc3339: $0) }
        failure = json["failure"].flatMap { SweepFailure($0) }
        usersPerMinute = Int(json["users_per_minute"]?.integer ?? 0)
        inFlight = Int(json["in_flight"]?.integer ?? 0)
        lostLines = Int(json["lost_lines"]?.integer ?? 0)
        intervalMilliseconds = json["interval_ms"]?.integer ?? 0
    }
}
