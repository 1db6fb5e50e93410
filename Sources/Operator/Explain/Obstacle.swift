import APNs
import Core
import JSON
import Service
import TimeZones

/// What keeps pushes from being sent now, though the policy allows them.
enum Obstacle: Sendable, Equatable {
    /// No daemon was seen in the last half minute.
    case noDaemon
    /// No daemon owns the user's range.
    case freeRange(Int32)
    /// The daemon that owns the user's range was not seen for so many seconds. Nil: not for a day.
    case lostOwner(seconds: Int64?)
    case pause(Pause)
    /// A lane that takes no pushes now.
    case lane(LaneReport)

    /// All that hold now.
    ///
    /// - Parameter lanes: those of the user's devices.
    static func all(of read: ReadUser, _ facts: Explanation.Facts, lanes: Set<LaneIdentity>) -> [Obstacle] {
        let paused = facts.pauses.filter { $0.resumedAt == nil }.map(Obstacle.pause)
        let alive = facts.daemons.filter(\.isAlive)
        if alive.isEmpty { return [.noDaemon] + paused }
        guard let owner = read.owner else { return [.freeRange(read.range)] + paused }
        guard let daemon = alive.first(where: { $0.id == owner }) else {
            let row = facts.daemons.first { $0.id == owner }
            return [.lostOwner(seconds: row.map { abs($0.unseenMilliseconds) / 1000 })] + paused
        }
        let closed: [LaneReport.State] = [.stopped, .backingOff, .resting]
        return paused + daemon.lanes.filter { lanes.contains($0.lane) && closed.contains($0.state) }.map(Obstacle.lane)
    }

    /// Whether it is about the daemons, so that nothing at all is sent to the user.
    var isOfDaemons: Bool {
        switch self {
        case .noDaemon, .freeRange, .lostOwner: true
        case .pause, .lane: false
        }
    }

    /// Part of a sentence, without a full stop.
    func text(now: Instant, _ zone: Zone?) -> String {
        switch self {
        case .noDaemon: return "no daemon runs"
        case .freeRange(let range): return "no daemon owns range \(range), which this user is in"
        case .lostOwner(let seconds):
            let span = seconds.map { "was not seen for \(Elapsed.text($0))" } ?? "is gone"
            return "the daemon that owns the user's range \(span)"
        case .pause(let pause):
            let why = pause.reason.map { ": \($0)" } ?? ""
            return "\(KindText.plural(pause.kind.rawValue)) are paused since "
                + "\(InstantText.since(pause.since, from: now, zone)) (\(pause.byWhom)\(why))"
        case .lane(let lane):
            // The other states give their reason as text.
            let isCode = lane.state == .stopped || lane.state == .resting
            let reason = lane.reason.map { " (\(isCode ? LaneStatus.cause($0) : $0))" } ?? ""
            let state =
                switch lane.state {
                case .stopped: "is stopped"
                case .resting: "rests"
                default: "waits before its next try"
                }
            return "the lane \(lane.lane.environment) \(lane.lane.topic) \(state)\(reason)"
        }
    }

    /// What ends it, as a sentence. Nil if the lane names nothing.
    var fix: String? {
        switch self {
        case .noDaemon: "Start one: systemctl start nudged."
        case .freeRange: "A running daemon takes it within seconds."
        case .lostOwner: "Another daemon takes the range when the lease ends."
        case .pause(let pause): "nudged resume \(pause.kind.rawValue) ends it."
        case .lane(let lane): lane.remedy.map { "Fix: \($0)." }
        }
    }

    var fields: Fields {
        switch self {
        case .noDaemon: ["cause": "no_daemon"]
        case .freeRange: ["cause": "range_without_owner"]
        case .lostOwner(let seconds): ["cause": "owner_not_seen", "seconds": seconds]
        case .pause(let pause):
            [
                "cause": "paused", "kind": pause.kind.rawValue, "since": pause.since, "by": pause.byWhom,
                "reason": pause.reason,
            ]
        case .lane(let lane):
            [
                "cause": "lane", "environment": lane.lane.environment, "topic": lane.lane.topic,
                "state": lane.state.rawValue, "reason": lane.reason, "remedy": lane.remedy,
                "next_try": lane.nextProbe,
            ]
        }
    }
}
