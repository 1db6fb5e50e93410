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

    /// Whether it is about the daemons, so that nothing at all is sent to the user.
    var isOfDaemons: Bool { kind == nil && lane == nil }

    /// All that hold now.
    ///
    /// - Parameter lanes: those of the user's devices.
    static func all(
        of read: ReadUser,
        _ facts: Explanation.Facts,
        lanes: Set<LaneIdentity>,
        now: Instant,
        _ zone: Zone?
    ) -> [Obstacle] {
        let paused = facts.pauses.filter { $0.resumedAt == nil }.map { Obstacle($0, now: now, zone) }
        let alive = facts.daemons.filter(\.isAlive)
        func none(_ text: String, _ fix: String, _ fields: Fields) -> [Obstacle] {
            [Obstacle(text: text, fix: fix, fields: fields)] + paused
        }
        if alive.isEmpty {
            return none("no daemon runs", "Start one: systemctl start nudged.", ["cause": "no_daemon"])
        }
        guard let owner = read.owner else {
            let text = "no daemon owns range \(read.range), which this user is in"
            return none(text, "A running daemon takes it within seconds.", ["cause": "range_without_owner"])
        }
        guard let daemon = alive.first(where: { $0.id == owner }) else {
            // Nil: its row is gone, so it was not seen for a day.
            let seconds = facts.daemons.first { $0.id == owner }.map { abs($0.unseenMilliseconds) / 1000 }
            let span = seconds.map { "was not seen for \(Elapsed.text($0))" } ?? "is gone"
            let fix = "Another daemon takes the range when the lease ends."
            let fields: Fields = ["cause": "owner_not_seen", "seconds": seconds]
            return none("the daemon that owns the user's range \(span)", fix, fields)
        }
        return paused + daemon.lanes.filter { lanes.contains($0.lane) }.compactMap(Obstacle.init)
    }

    private init(_ pause: Pause, now: Instant, _ zone: Zone?) {
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

    private init?(_ lane: LaneReport) {
        let state: String
        switch lane.state {
        case .stopped: state = "is stopped"
        case .resting: state = "rests"
        case .backingOff: state = "waits before its next try"
        default: return nil
        }
        // A lane that waits gives its reason as text.
        let reason = lane.reason.map { " (\(lane.state == .backingOff ? $0 : LaneStatus.cause($0)))" } ?? ""
        text = "the lane \(lane.name) \(state)\(reason)"
        fix = lane.remedy.map { "Fix: \($0)." }
        fields = [
            "cause": "lane", "environment": lane.lane.environment, "topic": lane.lane.topic,
            "state": lane.state.rawValue, "reason": lane.reason, "remedy": lane.remedy, "next_try": lane.nextProbe,
        ]
        self.lane = lane
    }

    private init(text: String, fix: String, fields: Fields) {
        (self.text, self.fix, self.fields) = (text, fix, fields)
    }
}
