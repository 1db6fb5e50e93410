package import Core
import APNs
import JSON
package import TimeZones

/// A lane at one moment.
package struct LaneSample: Sendable {
    var lane: LaneIdentity
    /// Its instants are milliseconds of CLOCK_BOOTTIME.
    var status: LaneStatus
    /// Host and port of a server that is not Apple's. nil: Apple's.
    var otherServer: String?
}

/// A lane's state, as the database holds it.
package struct LaneReport: Sendable, Equatable {
    /// The state's name. Not an enum, so that the name from a newer daemon is shown as it is.
    package struct State: RawRepresentable, Sendable, Equatable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let idle = State(rawValue: "idle")
        package static let open = State(rawValue: "open")
        static let connecting = State(rawValue: "connecting")
        package static let backingOff = State(rawValue: "backing_off")
        package static let stopped = State(rawValue: "stopped")
        package static let resting = State(rawValue: "resting")
        package static let draining = State(rawValue: "draining")

        /// All states that this version knows.
        static let all = [idle, open, connecting, backingOff, stopped, resting, draining]
    }

    package var lane: LaneIdentity
    /// Host and port of a server that is not Apple's. nil: Apple's.
    package var otherServer: String?
    package var state: State
    /// Why it does not send: Apple's reason, or nudged's own in snake case or as text.
    package var reason: String?
    /// What an operator can do about it.
    package var remedy: String?
    /// Since when it has this state.
    package var since: Instant?
    /// When it is tried next.
    package var nextProbe: Instant?

    /// - Parameter instant: converts milliseconds of CLOCK_BOOTTIME. nil until a clock was read.
    init(_ sample: LaneSample, since: Instant?, instant: (Int64) -> Instant?) {
        lane = sample.lane
        otherServer = sample.otherServer
        self.since = since
        switch sample.status {
        case .idle: state = .idle
        case .open: state = .open
        case .connecting: state = .connecting
        case .draining: state = .draining
        case .resting(let until):
            (state, reason, nextProbe) = (.resting, "TooManyProviderTokenUpdates", instant(until))
        case .backingOff(let until, let why): (state, reason, nextProbe) = (.backingOff, why, instant(until))
        case .stopped(let why, let fix, let probe):
            (state, reason, remedy, nextProbe) = (.stopped, why, fix, instant(probe))
        }
    }

    /// Whether anything but the times differs.
    func isNews(after other: LaneReport) -> Bool {
        var same = other
        (same.since, same.nextProbe) = (since, nextProbe)
        return self != same
    }

    func write(to json: inout JSONWriter) {
        json.put("environment", lane.environment)
        json.put("topic", lane.topic)
        json.put("other_server", otherServer)
        json.put("state", state.rawValue)
        json.put("reason", reason?.oneLine)
        json.put("remedy", remedy?.oneLine)
        json.put("since", since?.rfc3339)
        json.put("next_probe", nextProbe?.rfc3339)
    }

    /// nil: the lane's name or state is missing.
    init?(_ json: JSONValue) {
        guard let environment = json["environment"]?.text, let topic = json["topic"]?.text,
            let state = json["state"]?.text
        else { return nil }
        lane = LaneIdentity(environment: environment, topic: topic)
        otherServer = json["other_server"]?.text
        self.state = State(rawValue: state)
        reason = json["reason"]?.text
        remedy = json["remedy"]?.text
        since = json.instant("since")
        nextProbe = json.instant("next_probe")
    }
}
