import Core
import Policy
import TimeZones

/// The counts of a forecast. Tallies of several pages can be added.
struct ForecastTally: Sendable, Equatable {
    /// A clock hour, or the part of it that is in the forecast.
    struct Hour: Sendable, Equatable {
        /// Pushes by kind, in the order of `NudgeKind.allCases`.
        var pushes = [Int](repeating: 0, count: NudgeKind.allCases.count)
        /// Evaluations after which nothing is sent, by reason in the order of `Reason.allCases`.
        var rests = [Int](repeating: 0, count: Reason.allCases.count)
        /// Skipped slots and devices.
        var skipped = 0

        var allPushes: Int { pushes.reduce(0, +) }
    }

    /// The reasons for which nothing was sent to one user, as a bit set.
    struct Reasons: Sendable, Equatable {
        private(set) var bits: UInt32 = 0
        mutating func insert(_ reason: Reason) { bits |= 1 << UInt32(Self.place[reason] ?? 0) }
        static let place = Dictionary(uniqueKeysWithValues: Reason.allCases.enumerated().map { ($1, $0) })
    }

    let start: Instant
    private(set) var hours: [Hour]
    /// Users who are due in the forecast's time.
    var users = 0
    /// Nudges that are sent: check-ins, messages, digests and reminders.
    private(set) var nudges = 0
    /// Users who got nothing at least once, by reason in the order of `Reason.allCases`.
    private(set) var resting = [Int](repeating: 0, count: Reason.allCases.count)
    /// Skipped slots and devices, by the record's reason.
    private(set) var skipped: [String: Int] = [:]
    /// Messages and reminders that are dropped, by the record's reason.
    private(set) var dropped: [String: Int] = [:]
    /// Users whose zone's file could not be read.
    var unread = 0
    /// Users whose row could not be read.
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

    /// When an hour begins, by the clock.
    func beginning(of place: Int) -> Instant { Instant(seconds: (Self.hour(start) + Int64(place)) * 3600) }

    var pushes: Int { hours.reduce(0) { $0 + $1.allPushes } }

    mutating func send(_ sendPlan: SendPlan, at now: Instant) {
        nudges += sendPlan.nudges.count
        let place = place(now)
        for nudge in sendPlan.nudges {
            let kind = NudgeKind.allCases.firstIndex(of: nudge.identity.kind) ?? 0
            hours[place].pushes[kind] += nudge.targets.count
        }
    }

    mutating func rest(_ reason: Reason, at now: Instant) {
        hours[place(now)].rests[Reasons.place[reason] ?? 0] += 1
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

    /// Adds a user's reasons at the end of their run. Each reason counts once for a user.
    mutating func close(_ reasons: Reasons) {
        for place in resting.indices where reasons.bits & 1 << UInt32(place) != 0 { resting[place] += 1 }
    }

    mutating func add(_ other: ForecastTally) {
        users += other.users
        nudges += other.nudges
        unread += other.unread
        unreadable += other.unreadable
        skipped.merge(other.skipped, uniquingKeysWith: +)
        dropped.merge(other.dropped, uniquingKeysWith: +)
        for place in resting.indices { resting[place] += other.resting[place] }
        for (place, hour) in other.hours.enumerated() where hours.indices.contains(place) {
            for kind in hour.pushes.indices { hours[place].pushes[kind] += hour.pushes[kind] }
            for reason in hour.rests.indices { hours[place].rests[reason] += hour.rests[reason] }
            hours[place].skipped += hour.skipped
        }
    }
}
