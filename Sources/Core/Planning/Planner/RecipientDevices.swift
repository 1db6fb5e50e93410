import APNs
import TimeZones

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

    /// A user with such a device is evaluated again within half an hour to an hour, since a new configuration causes no
    /// touch.
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
        // This daemon lacks the lane, perhaps after a reload. It may come back while the answer holds. A nudge that
        // nobody got does not wait for it while a lane serves another device.
        for device in foreign where retry.counts || served.isEmpty {
            let hash = PushIdentity.deviceHash(token: device.token)
            if let at = notBefore[hash] { wait(hash, until: max(at, now + Self.foreignSeconds)) }
        }
        return (due, waiting)
    }

    /// Divides the devices that are left into those that may get the nudge, and those that get no other attempt: with
    /// Apple's refusal since, or nil if no lane has served them for long.
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
