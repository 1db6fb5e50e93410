import APNs
import Core
import JSON
import Policy
import Service
import TimeZones

/// What keeps pushes from being sent now, though the policy allows them.
struct Obstacle: Sendable {
    /// Part of a sentence, without a full stop.
    let text: String
    /// What ends it, as a sentence. Nil if the lane names nothing.
    let fix: String?
    let fields: Fields
    var kind: NudgeKind?
    var lane: LaneReport?

    var isOfDaemons: Bool { kind == nil && lane == nil }
}

extension Obstacle {
    fileprivate init(_ pause: Pause, now: Instant, _ zone: Zone?) {
        let why = pause.reason.map { ": \($0)" } ?? ""
        let since = InstantText.since(pause.since, from: now, zone)
        text = "\(KindText.plural(pause.kind.rawValue)) are paused since \(since) (\(pause.byWhom)\(why))"
        fix = "nudged resume \(pause.kind.rawValue) ends it."
        fields = [
            "cause": "paused", "kind": pause.kind.rawValue, "since": pause.since, "by": pause.byWhom,
            "reason": pause.reason,
        ]
        kind = pause.kind
    }

    fileprivate init?(_ lane: LaneReport) {
        let texts = ["stopped": "is stopped", "resting": "rests", "backing_off": "waits before its next try"]
        guard let state = texts[lane.state] else { return nil }
        // A lane that waits gives its reason as text.
        let reason = lane.reason.map { " (\(lane.state == LaneReport.backingOff ? $0 : LaneStatus.cause($0)))" } ?? ""
        text = "the lane \(lane.name) \(state)\(reason)"
        fix = lane.remedy.map { "Fix: \($0)." }
        fields = [
            "cause": "lane", "environment": lane.lane.environment, "topic": lane.lane.topic,
            "state": lane.state, "reason": lane.reason, "remedy": lane.remedy, "next_try": lane.nextProbe,
        ]
        self.lane = lane
    }
}

extension Explanation {
    var obstacles: [Obstacle] {
        guard let read else { return [] }
        let paused = facts.pauses.filter { $0.resumedAt == nil }.map { Obstacle($0, now: now, zone) }
        let alive = facts.daemons.filter(\.isAlive)
        func none(_ text: String, _ fix: String, _ fields: Fields) -> [Obstacle] {
            [Obstacle(text: text, fix: fix, fields: fields)] + paused
        }
        if alive.isEmpty { return none("no daemon runs", "Start one: systemctl start nudged.", ["cause": "no_daemon"]) }
        guard let owner = read.owner else {
            let text = "no daemon owns range \(read.range), which this user is in"
            return none(text, "A running daemon takes it within seconds.", ["cause": "range_without_owner"])
        }
        guard let daemon = alive.first(where: { $0.id == owner }) else {
            // Nil: its row is gone, so it was not seen for a day.
            let seconds = facts.daemons.first { $0.id == owner }.map { abs($0.unseenMilliseconds) / 1000 }
            let span = seconds.map { "was not seen for \(Elapsed.text($0))" } ?? "is gone"
            let fix = "Another daemon takes the range within a minute."
            let fields: Fields = ["cause": "owner_not_seen", "seconds": seconds]
            return none("the daemon that owns the user's range \(span)", fix, fields)
        }
        let lanes = Set(devices.map(\.lane))
        return paused + daemon.lanes.filter { lanes.contains($0.lane) }.compactMap { Obstacle($0) }
    }
}

/// A user's device in an explanation. It shows the token's hash, never the token.
struct ExplainedDevice: Sendable {
    let hash: String
    let journalName: String
    let lane: LaneIdentity
    let registeredAt: Instant?
    let state: State

    struct State: Sendable {
        let name: String
        var text = ""
        var fields: Fields = [:]
    }

    var isServed: Bool { ["served", "tried", "moved"].contains(state.name) }

    static func all(
        of user: ClaimedUser,
        _ lanes: LaneDirectory,
        _ names: DeviceNames,
        now: Instant,
        _ zone: Zone? = nil
    ) -> [ExplainedDevice] {
        let quarantine = Quarantine(json: user.quarantine)
        return user.devices.map { device -> ExplainedDevice in
            let lane = lanes.wanted(by: device)
            let route = quarantine.route(of: device, on: lane, lanes, now: now)
            let found = lanes.lane(of: device) == nil ? unserved(lane, lanes) : state(route, zone)
            let (hash, at) = (PushIdentity.deviceHash(token: device.token), device.registeredAt)
            return .init(hash: hash, journalName: names.name(hash), lane: lane, registeredAt: at, state: found)
        }
    }

    private static func unserved(_ wanted: LaneIdentity, _ lanes: LaneDirectory) -> State {
        let isOurs = lanes.all.contains { $0.topic == wanted.topic }
        let text = "; no lane of this configuration serves it: another \(isOurs ? "environment" : "app")"
        return State(name: isOurs ? "other_environment" : "other_topic", text: text)
    }

    private static func state(_ route: Quarantine.Route, _ zone: Zone?) -> State {
        switch route {
        case .own: return State(name: "served")
        case .other(let lane, .running):
            let text = "; refused there, so it is tried in \(lane.environment)"
            return State(name: "tried", text: text, fields: ["tried_in": lane.environment])
        case .other(let lane, _):
            let text = "; it works in \(lane.environment), where its pushes go"
            return State(name: "moved", text: text, fields: ["works_in": lane.environment])
        case .refused(let entry):
            let since = "in quarantine since \(InstantText.local(entry.at, zone)): Apple answered \(entry.reason)"
            let text = "; \(since); nothing is sent to it until it registers again"
            return State(name: "quarantined", text: text, fields: ["since": entry.at, "reason": entry.reason])
        }
    }

    func text(_ local: (Instant) -> String) -> String {
        let registered = registeredAt.map { "registered \(local($0))" } ?? "registered at an unknown time"
        return "\(hash) (\(journalName) in the journal) on \(lane.text), \(registered)\(state.text)"
    }

    var fields: Fields {
        let device: Fields = [
            "device": hash, "journal_name": journalName, "environment": lane.environment, "topic": lane.topic,
            "registered_at": registeredAt, "state": state.name,
        ]
        return device + state.fields
    }
}

struct DeviceGap: Sendable, Equatable {
    let name: String
    /// Part of a sentence, without a full stop.
    let text: String

    static func all(_ devices: [ExplainedDevice], _ leftOut: DevicesLeftOut) -> [DeviceGap] {
        guard !devices.contains(where: \.isServed) else { return [] }
        var gaps: [DeviceGap] = []
        func add(_ name: String, _ count: Int, _ text: String) {
            if count > 0 { gaps.append(DeviceGap(name: name, text: text)) }
        }
        let environments = devices.filter { $0.state.name == "other_environment" }
        let topics = devices.filter { $0.state.name == "other_topic" }
        let refused = devices.count - environments.count - topics.count
        let tokens = "Apple refused the token of \(Elapsed.counted(refused, "device", "devices"))"
        add("quarantined", refused, "\(tokens), which must register again")
        if let lane = environments.first?.lane {
            let some = Elapsed.counted(environments.count, "device is", "devices are")
            let text = "\(some) of the environment \(lane.environment), which is not configured for \(lane.topic)"
            add("other_environment", environments.count, text)
        }
        if let lane = topics.first?.lane {
            let some = Elapsed.counted(topics.count, "device belongs", "devices belong")
            add("other_topic", topics.count, "\(some) to the app \(lane.topic), which is not configured")
        }
        let rows = Elapsed.counted(leftOut.withoutToken, "row", "rows")
        add("no_token", leftOut.withoutToken, "nudged.device has \(rows) of this user without a token")
        if let platforms = leftOut.platforms {
            add("left_out", 1, "the user's devices are of other platforms (\(platforms))")
        }
        if gaps.isEmpty { add("no_row", 1, "nudged.device has no row of this user") }
        return gaps
    }
}
