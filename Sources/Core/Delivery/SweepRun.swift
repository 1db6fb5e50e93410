import Base
package import Configuration
import JSON
package import Policy
package import Postgres
import Synchronization
package import TimeZones

package import struct FoundationEssentials.UUID

/// A running sweep. When its last user is let go, perhaps after the next sweep has begun, `onEnd` gets its report.
final class SweepRun: Sendable {
    let id = UUID.random()
    private let startedAt = BootTime.milliseconds()
    private let totals: Monitor<SweepReport>
    private let onEnd: @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void

    private struct State {
        var report = SweepReport()
        var isWhole = false
        var hasFailed = false
        /// The sweep itself and its users in hand (`HeldUser`).
        var open = 0
    }

    private let state = Mutex(State())

    init(totals: Monitor<SweepReport>, onEnd: @escaping @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void) {
        (self.totals, self.onEnd) = (totals, onEnd)
    }

    /// Counts something, for this sweep and for the totals.
    func count(_ body: (inout SweepReport) -> Void) {
        state.withLock { body(&$0.report) }
        totals.withLock(body)
    }

    /// The sweep claimed until nobody was due or no lane took more.
    func endedWell() { state.withLock { $0.isWhole = true } }

    func failed() { state.withLock { $0.hasFailed = true } }

    func begin() { state.withLock { $0.open += 1 } }

    func end() {
        let ended = state.withLock { state -> State? in
            state.open -= 1
            return state.open == 0 ? state : nil
        }
        guard var ended else { return }
        ended.report.milliseconds = BootTime.milliseconds() - startedAt
        totals.withLock { $0.milliseconds += ended.report.milliseconds }
        onEnd(id, ended.report, ended.isWhole && !ended.hasFailed)
    }
}

package typealias EventSink = @Sendable (SweepEvent) -> Void

/// What a sweep reports to the daemon.
package enum SweepEvent: Sendable {
    /// The sweep's last user is settled.
    case finished(id: UUID, SweepReport)
    case recovered(pushes: Int)
    case noticed([Notice])
    /// So many users of a batch were not evaluated: their zones could not be read. The error is the first user's.
    case zonesUnread(TimeZoneError, users: Int)
    /// A push was refused for good. It gets a line of its own.
    case rejected(user: UUID, deviceHash: String, reason: String, status: Int?)
    case quarantined(EnvironmentNote)
    /// A device works only in the environment that it was not registered for. Its pushes go there from now on.
    case moved(EnvironmentNote)
    case unknown(user: UUID, kind: String, deviceHash: String, reason: String)
    /// The database refused a drain, an intent or a settlement. The sweep is not good. It is tried again.
    case statementFailed(PostgresError)
    /// A write for single users failed, or one that no nudge waits for. It is tried again.
    case settlementFailed(error: String)
    /// A fan-out failed, because of the app's view or a lock of the app. It is left for a while.
    case fanOutFailed(PendingReminder, error: String)
    /// Outcomes could not be recorded, because the membership has ended. Another daemon records the pushes as unknown.
    case fenced(pushes: Int)
    case ownership(ranges: Int, members: Int)
    /// The membership ended: another daemon declared this one dead, or its row was deleted. It joins again.
    case membershipEnded
    case membersDeclaredDead(Int)
    case paused(Set<NudgeKind>, before: Set<NudgeKind>)
    /// The sweep makes progress, so the watchdog may be notified.
    case progress
}

package struct SweepSettings: Sendable, Equatable {
    /// Users per claim.
    package var batch: Int
    package var leaseMilliseconds: Int64
    /// How long a push waits for its answer.
    package var responseMilliseconds: Int64
    /// The most pushes with open intents.
    package var maxInFlight: Int

    package init(_ schedule: Configuration.Schedule, _ apns: Configuration.APNs) {
        batch = schedule.batch
        leaseMilliseconds = schedule.lease.milliseconds
        responseMilliseconds = apns.responseTimeout.milliseconds
        maxInFlight = apns.maxInFlight
    }

    /// The last write of a push is one response time-out and this margin before the lease's end.
    static let marginMilliseconds: Int64 = 1000
}

/// What a sweep did. Counted only here: the journal's line, `nudged status` and the metrics show these.
package struct SweepReport: Sendable, Equatable {
    /// Users claimed and planned.
    package var users = 0
    package var record = RecordTally()
    /// Pushes that were not written. Their users are evaluated again.
    package var unsent = 0
    package var tokensDeleted = 0
    /// Users who got nothing, by the policy's reason. Other reasons: `timezone_unreadable` or `row_unreadable` if
    /// the policy could not be evaluated, and `declined` if the decision service or a fallback declined everything.
    package var resting: [String: Int] = [:]
    /// Users who may get something now, by the policy.
    package var sending = 0
    /// Decisions by the decision service, or by a fallback in its place.
    package var decisions: [DecisionOutcome.Kind: Int] = [:]
    /// Users whose nudges went on without a question to the configured service, since the user does not consent.
    package var withoutConsent = 0
    /// Users who changed between plan and push. They are evaluated again.
    package var changed = 0
    /// Pushes of orphans, recorded as unknown.
    package var recovered = 0
    /// Settlements that came after the membership had ended. Another daemon records their pushes as unknown.
    package var fenced = 0
    /// Users served: sent to, or found to get nothing now.
    package var served = 0
    /// Milliseconds from the sweep's start until its last user is let go.
    package var milliseconds: Int64 = 0
    /// Whether it ran to its end on a usable schema, and the database accepted drain, claim and settlements.
    package var isAccepted = false
    /// Whether it was accepted while at least one lane could send.
    package var isGood = false

    package var sent: Int { record.count(.accepted) }
    package var rejected: Int { record.count(.rejected) }

    package static let zonesUnread = "timezone_unreadable"
    /// A reason in `resting`: a row can't be read until it changes, or a newer version wrote it.
    package static let rowUnreadable = "row_unreadable"

    package init() {}

    package var isWorthALine: Bool { record.total + tokensDeleted + recovered + fenced > 0 }

    /// One line. Zeros are left out, except for what was sent.
    package var text: String {
        var parts = ["sent \(sent)"]
        let outcomes: [DeliveryRecord.Outcome] = [.rejected, .deferred, .unknown, .skipped, .dropped]
        let others = [(tokensDeleted, "tokens deleted"), (recovered, "recovered as unknown")]
        for (count, word) in outcomes.map({ (record.count($0), $0.rawValue) }) + others where count > 0 {
            parts.append("\(word) \(count)")
        }
        return parts.joined(separator: ", ") + " of \(users) \(users == 1 ? "user" : "users") in \(milliseconds) ms"
    }

    /// Grows with everything that was done, but not with unsent pushes or what could not be read.
    package var progress: Int {
        record.total + recovered + fenced + resting.values.reduce(0, +)
            - resting[Self.zonesUnread, default: 0] - resting[Self.rowUnreadable, default: 0]
    }

    /// For the journal and for JSON, in this order.
    package var counts: [(name: String, count: Int)] {
        [
            ("users", users), ("sent", sent), ("rejected", rejected), ("deferred", record.count(.deferred)),
            ("unknown", record.count(.unknown)), ("unsent", unsent), ("skipped", record.count(.skipped)),
            ("dropped", record.count(.dropped)), ("changed", changed), ("recovered", recovered), ("fenced", fenced),
            ("tokens_deleted", tokensDeleted), ("without_consent", withoutConsent),
        ]
    }

    package var json: String {
        let reasons = resting.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) }
        return (Fields(counts) + ["resting": Fields(reasons), "duration_ms": milliseconds]).document
    }
}

/// Rows of the record, counted by kind and outcome. A flat array, since it counts every push.
package struct RecordTally: Sendable, Equatable {
    private static let kinds = NudgeKind.allCases.map(\.rawValue)
    private static let outcomes = DeliveryRecord.Outcome.allCases

    /// The number of each outcome, kind by kind. The last group is for kinds that this version doesn't know.
    private var counts = Array(repeating: 0, count: (Self.kinds.count + 1) * Self.outcomes.count)

    var total: Int { counts.reduce(0, +) }

    mutating func enter(_ outcome: DeliveryRecord.Outcome, of kind: String, _ count: Int = 1) {
        counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] += count
    }

    mutating func add(_ other: Self) { for (place, count) in other.counts.enumerated() { counts[place] += count } }

    /// Rows with this outcome. nil: of all kinds.
    package func count(_ outcome: DeliveryRecord.Outcome, of kind: String? = nil) -> Int {
        if let kind { return counts[Self.place(outcome, Self.kinds.firstIndex(of: kind))] }
        return (0...Self.kinds.count).reduce(0) { $0 + counts[Self.place(outcome, $1)] }
    }

    private static func place(_ outcome: DeliveryRecord.Outcome, _ kind: Int?) -> Int {
        (kind ?? kinds.count) * outcomes.count + (outcomes.firstIndex(of: outcome) ?? 0)
    }
}
