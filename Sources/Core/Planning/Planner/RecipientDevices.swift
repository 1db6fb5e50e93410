import APNs
import JSON
package import TimeZones

struct ServedDevice: Sendable {
    let device: Device
    let lane: LaneIdentity
    let trial: EnvironmentTrial

    /// Names the device in the record, in retries and in the quarantine.
    var hash: String { PushIdentity.deviceHash(token: device.token) }
}

/// A user's devices, by what can be done with them.
struct RecipientDevices: Sendable {
    private(set) var served: [ServedDevice] = []
    /// A lane serves them, but they are in quarantine. By their hashes.
    private var refused: [String: Quarantine.Entry] = [:]
    /// No lane of this daemon serves them.
    private(set) var foreign: [Device] = []

    init() {}

    init(_ devices: [Device], _ quarantine: String?, _ lanes: LaneDirectory, now: Instant) {
        let quarantine = Quarantine(json: quarantine)
        for device in devices {
            guard let lane = lanes.lane(of: device) else {
                foreign.append(device)
                continue
            }
            switch quarantine.route(of: device, on: lane, lanes, now: now) {
            case .own(let trial): served.append(ServedDevice(device: device, lane: lane, trial: trial))
            case .other(let other, let trial):
                // The app's own table may have another row of this token, for that lane.
                let hasRow = devices.contains {
                    ExactText($0.token) == ExactText(device.token) && lanes.lane(of: $0) == other
                }
                if !hasRow { served.append(ServedDevice(device: device, lane: other, trial: trial)) }
            case .refused(let entry): refused[entry.deviceHash] = entry
            }
        }
    }

    /// A user with such a device is evaluated again in 30 to 60 minutes: a new configuration causes no touch.
    static let foreignSeconds: Int64 = 1_800
    /// How long a nudge that never expires waits for a lane: as long as a message by default.
    static let laneSeconds: Int64 = 604_800

    /// The devices that are left of a nudge and still registered.
    typealias Remaining = (due: [ServedDevice], waiting: [Retry.Left])

    func remaining(_ retry: Retry, now: Instant) -> Remaining {
        let notBefore = Dictionary(retry.left.map { ($0.deviceHash, $0.notBefore) }, uniquingKeysWith: max)
        let repeats = retry.left.repeats
        var due: [ServedDevice] = []
        var waiting: [Retry.Left] = []
        func wait(_ hash: String, until at: Instant) {
            waiting.append(Retry.Left(deviceHash: hash, notBefore: at, isRepeat: repeats.contains(hash)))
        }
        for device in served {
            let hash = device.hash
            guard let at = notBefore[hash] else { continue }
            if at <= now { due.append(device) } else { wait(hash, until: at) }
        }
        // The lane may come back while the answer holds. An unanswered nudge waits only if no other device is served.
        for device in foreign where retry.counts || served.isEmpty {
            let hash = PushIdentity.deviceHash(token: device.token)
            if let at = notBefore[hash] { wait(hash, until: max(at, now + Self.foreignSeconds)) }
        }
        return (due, waiting)
    }

    /// `left`: devices that may get the nudge. `ended`: devices without another attempt, with their refusal; nil: no
    /// lane has served them for long.
    func withoutEnded(_ retry: Retry, now: Instant) -> (left: [Retry.Left], ended: [(hash: String, Quarantine.Entry?)])
    {
        var ends = refused.mapValues(Optional.some)
        if let countedAt = retry.countedAt, now >= countedAt + Self.laneSeconds {
            for device in foreign { ends[PushIdentity.deviceHash(token: device.token)] = .some(nil) }
        }
        guard !ends.isEmpty else { return (retry.left, []) }
        // The same token may be served on another lane.
        for device in served { ends.removeValue(forKey: device.hash) }
        let kept = retry.left.filter { ends[$0.deviceHash] == nil }
        return (kept, retry.left.compactMap { left in ends[left.deviceHash].map { (left.deviceHash, $0) } })
    }
}

/// What Apple's answers say about a user's devices: the column `nudged.person.quarantine`. It says which devices get
/// nothing, and which get their pushes in another environment than the one they were registered for.
package struct Quarantine: Sendable {
    package struct Entry: Sendable, Equatable {
        let deviceHash: String
        let lane: LaneIdentity
        let state: EnvironmentNote.State
        /// The registration that was refused, in microseconds since 1970.
        let registration: Int64?
        package let at: Instant
        package let reason: String
    }

    package enum Route: Sendable, Equatable {
        /// To the lane that it was registered for.
        case own(EnvironmentTrial)
        case other(LaneIdentity, EnvironmentTrial)
        /// Nowhere, until it registers again.
        case refused(Entry)
    }

    /// How long a refused device waits for its one push in the other environment.
    private static let trialSeconds: Int64 = 86_400

    private var entries: [Entry] = []

    /// Ignores what it can't read: at worst, a push is refused once more.
    package init(json text: String?) {
        guard let text, case .array(let items)? = try? JSONValue(parsing: text) else { return }
        entries = items.compactMap { item in
            guard let device = item["device"]?.text, let environment = item["environment"]?.text,
                let topic = item["topic"]?.text, let at = item["at"]?.text.flatMap({ Instant(rfc3339: $0) }),
                let reason = item["reason"]?.text,
                let state = EnvironmentNote.State(rawValue: item["state"]?.text ?? "refused")
            else { return nil }
            let (lane, since) = (LaneIdentity(environment: environment, topic: topic), item["registered_at"]?.integer)
            return Entry(deviceHash: device, lane: lane, state: state, registration: since, at: at, reason: reason)
        }
    }

    /// Where the pushes go of a device that is registered for `lane`.
    package func route(of device: Device, on lane: LaneIdentity, _ lanes: LaneDirectory, now: Instant) -> Route {
        guard !entries.isEmpty else { return .own(lanes.counterpart(of: lane) == nil ? .closed : .open) }
        let hash = PushIdentity.deviceHash(token: device.token)
        let own = entry(for: device, hash, on: lane)
        guard let counterpart = lanes.counterpart(of: lane) else {
            // Its own lane would refuse a device that has moved, each time.
            guard let own, own.state == .refused || own.state == .moved else { return .own(.closed) }
            return .refused(own)
        }
        let other = entry(for: device, hash, on: counterpart)
        guard let own else { return .own(other == nil ? .open : .closed) }
        // A day, since the other lane may be down, and its own lane may have refused good tokens.
        let isTrying = other == nil && now < own.at + Self.trialSeconds
        switch own.state {
        case .moved:
            guard let other, other.state == .refused else { return .other(counterpart, .closed) }
            return .refused(other)
        case .suspected:
            // It was tried: the lane's window decides now.
            return isTrying ? .other(counterpart, .running) : .own(.closed)
        case .refused, .tried:
            // Only BadDeviceToken can mean the other environment.
            guard isTrying, own.reason == PushOutcome.badDeviceToken else { return .refused(own) }
            return .other(counterpart, .running)
        }
    }

    /// Whether a refused device works in the other environment.
    package func hasMoved(_ device: EnvironmentNote) -> Bool {
        let lane = LaneIdentity(environment: device.environment, topic: device.topic)
        return entries.contains { $0.state == .moved && $0.deviceHash == device.deviceHash && $0.lane == lane }
    }

    /// Any registration other than the refused one lifts a quarantine, so clocks don't matter. A token that works in
    /// one environment never works in the other, so a new registration changes nothing about `moved`.
    private func entry(for device: Device, _ hash: String, on lane: LaneIdentity) -> Entry? {
        entries.first {
            $0.deviceHash == hash && $0.lane == lane && ($0.state == .moved || $0.registration == device.registration)
        }
    }
}

/// Whether a device is tried in the other environment if Apple answers BadDeviceToken.
package enum EnvironmentTrial: Sendable, Equatable {
    /// No: no such lane is configured, or it was tried.
    case closed
    /// Yes, with the next push.
    case open
    /// This push is the trial.
    case running
}
