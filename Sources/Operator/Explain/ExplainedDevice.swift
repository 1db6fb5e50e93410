import APNs
import Core
import Service
import TimeZones

/// A user's device in an explanation. It shows the token's hash, never the token.
struct ExplainedDevice: Sendable, Equatable {
    enum State: Sendable, Equatable {
        case served
        /// It is tried in this environment, since Apple refused it in its own.
        case tried(environment: String)
        /// It works in this environment, and not in its own.
        case moved(environment: String)
        /// Apple refused it at this instant. It gets nothing until it registers again.
        case quarantined(at: Instant, reason: String)
        /// The configuration has the app's topic in another environment only.
        case otherEnvironment
        /// The configuration has no lane for the topic.
        case otherTopic
    }

    let hash: String
    /// The device's name in the journal.
    let journalName: String
    let lane: LaneIdentity
    let registeredAt: Instant?
    let state: State

    /// Whether a push can go to it.
    var isServed: Bool {
        switch state {
        case .served, .tried, .moved: true
        case .quarantined, .otherEnvironment, .otherTopic: false
        }
    }

    static func all(
        of user: ClaimedUser,
        _ lanes: LaneDirectory,
        _ names: DeviceNames,
        now: Instant
    ) -> [ExplainedDevice] {
        let quarantine = user.quarantine.map(Quarantine.init(json:))
        return user.devices.map { device in
            let wanted = lanes.wanted(by: device)
            var state = State.served
            if lanes.lane(of: device) == nil {
                state = lanes.all.contains { $0.topic == wanted.topic } ? .otherEnvironment : .otherTopic
            } else {
                switch quarantine?.route(of: device, on: wanted, lanes, now: now) {
                case nil, .own?: break
                case .other(let lane, .running)?: state = .tried(environment: lane.environment)
                case .other(let lane, _)?: state = .moved(environment: lane.environment)
                case .refused(let entry)?: state = .quarantined(at: entry.at, reason: entry.reason)
                }
            }
            let hash = PushIdentity.deviceHash(token: device.token)
            return ExplainedDevice(
                hash: hash,
                journalName: names.name(hash),
                lane: wanted,
                registeredAt: device.registeredAt,
                state: state
            )
        }
    }

    /// - Parameter local: an instant in the user's local time.
    func text(_ local: (Instant) -> String) -> String {
        let registered = registeredAt.map { "registered \(local($0))" } ?? "registered at an unknown time"
        let state =
            switch state {
            case .served: ""
            case .tried(let environment): "; refused there, so it is tried in \(environment)"
            case .moved(let environment): "; it works in \(environment), where its pushes go"
            case .otherEnvironment: "; no lane of this configuration serves it: another environment"
            case .otherTopic: "; no lane of this configuration serves it: another app"
            case .quarantined(let at, let reason):
                "; in quarantine since \(local(at)): Apple answered \(reason); "
                    + "nothing is sent to it until it registers again"
            }
        return "\(hash) (\(journalName) in the journal) on \(lane.text), \(registered)\(state)"
    }

    var fields: Fields {
        let device: Fields = [
            "device": hash, "journal_name": journalName, "environment": lane.environment, "topic": lane.topic,
            "registered_at": registeredAt,
        ]
        switch state {
        case .served: return device + ["state": "served"]
        case .tried(let environment): return device + ["state": "tried", "tried_in": environment]
        case .moved(let environment): return device + ["state": "moved", "works_in": environment]
        case .otherEnvironment: return device + ["state": "other_environment"]
        case .otherTopic: return device + ["state": "other_topic"]
        case .quarantined(let at, let reason):
            return device + ["state": "quarantined", "since": at, "reason": reason]
        }
    }
}

/// A reason why a user has no device that a push can go to.
struct DeviceGap: Sendable, Equatable {
    /// For a program.
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
        let environments = devices.filter { $0.state == .otherEnvironment }
        let topics = devices.filter { $0.state == .otherTopic }
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
