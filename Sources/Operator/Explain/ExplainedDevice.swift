import APNs
import Core
import JSON
import Service
import TimeZones

/// A user's device in an explanation. It shows the token's hash, never the token.
struct ExplainedDevice: Sendable {
    let hash: String
    let journalName: String
    let lane: LaneIdentity
    let registeredAt: Instant?
    let state: State

    struct State: Sendable {
        let name: String
        /// Continues a sentence.
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
        let quarantine = user.quarantine.map(Quarantine.init(json:))
        return user.devices.map { device in
            let wanted = lanes.wanted(by: device)
            let route = quarantine?.route(of: device, on: wanted, lanes, now: now)
            let hash = PushIdentity.deviceHash(token: device.token)
            return ExplainedDevice(
                hash: hash,
                journalName: names.name(hash),
                lane: wanted,
                registeredAt: device.registeredAt,
                state: lanes.lane(of: device) == nil ? unserved(wanted, lanes) : state(route, zone)
            )
        }
    }

    private static func unserved(_ wanted: LaneIdentity, _ lanes: LaneDirectory) -> State {
        let text = "; no lane of this configuration serves it: another"
        return lanes.all.contains { $0.topic == wanted.topic }
            ? State(name: "other_environment", text: "\(text) environment")
            : State(name: "other_topic", text: "\(text) app")
    }

    private static func state(_ route: Quarantine.Route?, _ zone: Zone?) -> State {
        switch route {
        case nil, .own?: return State(name: "served")
        case .other(let lane, .running)?:
            let text = "; refused there, so it is tried in \(lane.environment)"
            return State(name: "tried", text: text, fields: ["tried_in": lane.environment])
        case .other(let lane, _)?:
            let text = "; it works in \(lane.environment), where its pushes go"
            return State(name: "moved", text: text, fields: ["works_in": lane.environment])
        case .refused(let entry)?:
            let text =
                "; in quarantine since \(InstantText.local(entry.at, zone)): Apple answered \(entry.reason); "
                + "nothing is sent to it until it registers again"
            return State(name: "quarantined", text: text, fields: ["since": entry.at, "reason": entry.reason])
        }
    }

    /// - Parameter local: an instant in the user's local time.
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

    /// Empty if a device can be sent to.
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
