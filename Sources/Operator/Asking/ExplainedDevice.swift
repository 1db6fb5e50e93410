import Core
import Service
import APNs
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
}

/// A reason why a user has no device that a push can go to.
enum DeviceGap: Sendable, Equatable {
    /// Nothing is registered.
    case noRow
    /// So many rows have no token.
    case noToken(Int)
    /// `nudged.device` leaves out devices of these platforms.
    case leftOut(String)
    /// Apple refused so many.
    case quarantined(Int)
    /// So many belong to a lane that is not configured.
    case otherEnvironment(Int, LaneIdentity)
    case otherTopic(Int, LaneIdentity)

    /// Empty if a device can be sent to.
    static func all(_ devices: [ExplainedDevice], _ leftOut: DevicesLeftOut) -> [DeviceGap] {
        guard !devices.contains(where: \.isServed) else { return [] }
        var gaps: [DeviceGap] = []
        var refused = 0
        var environments: [LaneIdentity] = []
        var topics: [LaneIdentity] = []
        for device in devices {
            switch device.state {
            case .served, .tried, .moved: break
            case .quarantined: refused += 1
            case .otherEnvironment: environments.append(device.lane)
            case .otherTopic: topics.append(device.lane)
            }
        }
        if refused > 0 { gaps.append(.quarantined(refused)) }
        if let first = environments.first { gaps.append(.otherEnvironment(environments.count, first)) }
        if let first = topics.first { gaps.append(.otherTopic(topics.count, first)) }
        if leftOut.withoutToken > 0 { gaps.append(.noToken(leftOut.withoutToken)) }
        if let platforms = leftOut.platforms { gaps.append(.leftOut(platforms)) }
        return gaps.isEmpty ? [.noRow] : gaps
    }

    /// For JSON.
    var name: String {
        switch self {
        case .noRow: "no_row"
        case .noToken: "no_token"
        case .leftOut: "left_out"
        case .quarantined: "quarantined"
        case .otherEnvironment: "other_environment"
        case .otherTopic: "other_topic"
        }
    }

    /// Part of a sentence, without a full stop.
    var text: String {
        switch self {
        case .noRow: "nudged.device has no row of this user"
        case .noToken(let count):
            "nudged.device has \(Elapsed.counted(count, "row", "rows")) of this user without a token"
        case .leftOut(let platforms): "the user's devices are of other platforms (\(platforms))"
        case .quarantined(let count):
            "Apple refused the token of \(Elapsed.counted(count, "device", "devices")), which must register again"
        case .otherEnvironment(let count, let lane):
            "\(Elapsed.counted(count, "device is", "devices are")) of the environment \(lane.environment), "
                + "which is not configured for \(lane.topic)"
        case .otherTopic(let count, let lane):
            "\(Elapsed.counted(count, "device belongs", "devices belong")) to the app \(lane.topic), "
                + "which is not configured"
        }
    }
}
