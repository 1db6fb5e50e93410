import Core
import Policy
import TimeZones

struct ForecastTally: Sendable, Equatable {
    struct Hour: Sendable, Equatable {
        var pushes: [NudgeKind: Int] = [:]
        /// Evaluations after which nothing is sent.
        var rests: [Reason: Int] = [:]
        var skipped = 0

        var allPushes: Int { pushes.values.reduce(0, +) }
    }

    let start: Instant
    private(set) var hours: [Hour]
    var users = 0
    private(set) var nudges = 0
    /// Users who got nothing at least once. Each counts once for a reason.
    private(set) var resting: [Reason: Int] = [:]
    private(set) var skipped: [String: Int] = [:]
    private(set) var dropped: [String: Int] = [:]
    var unread = 0
    var unreadable = 0

    init(start: Instant, end: Instant) {
        self.start = start
        let count = Self.hour(end - 1) - Self.hour(start) + 1
        hours = Array(repeating: Hour(), count: max(1, Int(count)))
    }

    private static func hour(_ instant: Instant) -> Int64 { instant.seconds / 3600 }
    private func place(_ instant: Instant) -> Int {
        min(max(0, Int(Self.hour(instant) - Self.hour(start))), hours.count - 1)
    }

    func beginning(of place: Int) -> Instant { Instant(seconds: (Self.hour(start) + Int64(place)) * 3600) }

    var pushes: Int { hours.reduce(0) { $0 + $1.allPushes } }
    var pushesByKind: [NudgeKind: Int] { hours.reduce(into: [:]) { $0.merge($1.pushes, uniquingKeysWith: +) } }

    mutating func send(_ sendPlan: SendPlan, at now: Instant) {
        nudges += sendPlan.nudges.count
        let place = place(now)
        for nudge in sendPlan.nudges { hours[place].pushes[nudge.identity.kind, default: 0] += nudge.targets.count }
    }

    mutating func rest(_ reason: Reason, at now: Instant) {
        hours[place(now)].rests[reason, default: 0] += 1
    }

    mutating func add(_ records: [DeliveryRecord], at now: Instant) {
        for record in records {
            switch record.outcome {
            case .skipped:
                hours[place(now)].skipped += 1
                skipped[record.reason ?? "", default: 0] += 1
            case .dropped: dropped[record.reason ?? "", default: 0] += 1
            default: break
            }
        }
    }

    mutating func close(_ reasons: Set<Reason>) {
        for reason in reasons { resting[reason, default: 0] += 1 }
    }

    mutating func add(_ other: ForecastTally) {
        users += other.users
        nudges += other.nudges
        unread += other.unread
        unreadable += other.unreadable
        skipped.merge(other.skipped, uniquingKeysWith: +)
        dropped.merge(other.dropped, uniquingKeysWith: +)
        resting.merge(other.resting, uniquingKeysWith: +)
        for (place, hour) in other.hours.enumerated() where hours.indices.contains(place) {
            hours[place].pushes.merge(hour.pushes, uniquingKeysWith: +)
            hours[place].rests.merge(hour.rests, uniquingKeysWith: +)
            hours[place].skipped += hour.skipped
        }
    }
}
