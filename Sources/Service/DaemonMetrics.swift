import Core
import Metrics
import Policy
import TimeZones

struct DaemonMetrics: Sendable {
    var version: String
    var startedAt: Instant?
    var state: DaemonState
    var rangesOwned = 0
    var totals = SweepReport()
    var book = MetricsBook()
    var paused: Set<NudgeKind> = []
    var isDatabaseUp: Bool
    var isSchemaUsable: Bool
    /// The database's answer about the work, and its age. nil: no answer, or it is too old.
    var work: (status: WorkStatus, age: Duration)?

    var page: [UInt8] { MetricFamily.page(families) }

    /// All metrics, in the order of the page. docs/METRICS.md says what to do about each. Tests compare its list, the
    /// alerts and the dashboard with these definitions.
    var families: [MetricFamily] { service + sweeps + pushes + decisions + database }

    private var service: [MetricFamily] {
        [
            MetricFamily("nudged_build_info", .gauge, labels: ["version"], [MetricSample(1, [version])])
                .says("Always 1. Its label is the version that runs."),
            .gauge("nudged_start_time_seconds", startedAt.map { Double($0.seconds) })
                .says("When the process started, in seconds since 1970."),
            .gauge("nudged_last_success_timestamp_seconds", Double(state.lastGood?.seconds ?? 0))
                .says("When the last good sweep ended, in seconds since 1970. 0: none since the start."),
            .gauge("nudged_sweep_interval_seconds", Double(state.intervalMilliseconds) / 1000)
                .says("Time from the start of one sweep to the next, as configured."),
            .counter("nudged_log_lines_lost_total", state.lostLines)
                .says("Lines of the log that could not be written anywhere."),
        ]
    }

    private var sweeps: [MetricFamily] {
        [
            .gauge("nudged_ranges_owned", Double(rangesOwned)).says("Ranges of users that this daemon owns, of 64."),
            .counter("nudged_sweeps_total", by: "result", [("bad", book.badSweeps), ("good", book.goodSweeps)])
                .says(
                    "Sweeps whose last push was settled. A sweep is bad because of the database, the schema or Apple."
                ),
            MetricFamily("nudged_sweep_duration_seconds", .histogram, book.durations.samples)
                .says("Time from a sweep's first query until its last push is settled."),
            .counter("nudged_users_claimed_total", totals.users).says("Users claimed and evaluated."),
            .counter("nudged_users_changed_total", totals.changed)
                .says("Users whose data changed between decision and push. They are evaluated again."),
            .counter("nudged_pushes_recovered_total", totals.recovered)
                .says("Pushes of a dead daemon that this daemon recorded as unknown."),
            .counter("nudged_settlements_fenced_total", totals.fenced)
                .says(
                    "Settlements that came after the lease had ended. Another daemon recorded their pushes as unknown."
                ),
            .counter("nudged_write_failures_total", book.writeFailures)
                .says("Writes that the database refused. Each is tried again."),
        ]
    }

    private var pushes: [MetricFamily] {
        let rows = NudgeKind.allCases.flatMap { kind in
            DeliveryRecord.Outcome.allCases.map { outcome in
                let count = totals.record.count(outcome, of: kind.rawValue)
                return MetricSample(Double(count), [kind.rawValue, outcome.rawValue])
            }
        }
        let lanes = state.lanes.flatMap { lane in
            LaneReport.states.map { known in
                MetricSample(known == lane.state ? 1 : 0, [lane.lane.environment, lane.lane.topic, known])
            }
        }
        return [
            MetricFamily("nudged_pushes_total", .counter, labels: ["kind", "outcome"], rows)
                .says("Rows written to the record, nudged.delivery, by kind of nudge and outcome."),
            .counter("nudged_pushes_unsent_total", totals.unsent)
                .says("Pushes that were not written to Apple. Their users are evaluated again."),
            .gauge("nudged_pushes_in_flight", Double(state.inFlight))
                .says("Pushes in open intents: on their way to Apple or to the record."),
            .counter("nudged_tokens_deleted_total", totals.tokensDeleted)
                .says("Device tokens deleted after Apple said that they are no longer valid."),
            .counter("nudged_devices_quarantined_total", book.quarantined)
                .says("Devices that Apple refuses on their lane. They get nothing there until they register again."),
            MetricFamily("nudged_lane_state", .gauge, labels: ["environment", "topic", "state"], lanes)
                .says("1 for the current state of an app's lane to Apple, 0 for the others."),
        ]
    }

    private var decisions: [MetricFamily] {
        // The reasons why a check-in is not sent.
        let reasons =
            Reason.allCases.filter { ![.due, .urgent, .deviceNotServed].contains($0) }.map(\.rawValue)
            + [SweepReport.zonesUnread]
        let resting = reasons.map { ($0, totals.resting[$0] ?? 0) }
        let service = DecisionOutcome.Kind.all.map { kind in
            MetricSample(Double(totals.decisions[kind] ?? 0), [kind.origin.rawValue, "\(kind.shouldNotify)"])
        }
        let isActive = state.decision.map { $0.state == DecisionStatus.active }
        let states = isActive.map { [("active", $0), ("fallback", !$0)] }
        return [
            .counter("nudged_users_decided_total", by: "result", [("send", totals.sending)] + resting)
                .says("Users looked at: send, or the reason why nothing is sent now."),
            .counter("nudged_users_unreadable_total", totals.resting[SweepReport.rowUnreadable] ?? 0)
                .says("Users whose rows can't be read."),
            MetricFamily("nudged_service_decisions_total", .counter, labels: ["by", "notify"], service)
                .says("Nudges decided by the decision service, or instead by the user's fallback strategy."),
            .counter("nudged_users_without_consent_total", totals.withoutConsent)
                .says(
                    "Users whose nudges went on without a question to the decision service, since the user does not consent."
                ),
            .gauge("nudged_decision_service_state", by: "state", states ?? [])
                .says(
                    "1 for the current state of the decision service, 0 for the other. Only shown if a service is configured."
                ),
            .gauge("nudged_paused", by: "kind", NudgeKind.allCases.map { ($0.rawValue, paused.contains($0)) })
                .says("1 if a kind of nudge is paused, else 0."),
        ]
    }

    private var database: [MetricFamily] {
        let status = work?.status
        let alive = status?.daemons.count(where: \.isAlive)
        return [
            .gauge("nudged_database_up", isDatabaseUp ? 1 : 0)
                .says("1 if PostgreSQL answers this daemon, else 0. A refused statement is an answer."),
            .gauge("nudged_schema_usable", isSchemaUsable ? 1 : 0)
                .says("1 if this version can work with the database's schema, as last seen, else 0."),
            .gauge("nudged_daemons_alive", alive.map(Double.init))
                .says("Daemons of this database that were seen in the last 30 seconds."),
            .gauge("nudged_due_users", status.map { Double($0.dueUsers) })
                .says("Users who are due now, counted up to 100,000."),
            .gauge("nudged_due_oldest_seconds", work.map(Self.oldest))
                .says("How long the first due user has been due. 0: no user is due."),
            .gauge("nudged_changes_waiting", status.map { Double($0.touches) })
                .says("Changes of the app's data that no sweep has drained, counted up to 10,000."),
            .gauge("nudged_unknown_pushes", status.map { Double($0.unknownPushes) })
                .says("Pushes of the last 24 hours whose outcome is unknown, counted up to 10,000."),
        ]
    }

    private static func oldest(_ work: (status: WorkStatus, age: Duration)) -> Double {
        guard let first = work.status.firstDue, work.status.dueUsers > 0 else { return 0 }
        return Double(max(0, work.status.now - first)) + Double(work.age.components.seconds)
    }
}

extension MetricFamily {
    /// - Parameter value: nil: it is unknown now.
    fileprivate static func gauge(_ name: String, _ value: Double?) -> MetricFamily {
        MetricFamily(name, .gauge, value.map { [MetricSample($0)] } ?? [])
    }

    fileprivate static func gauge(_ name: String, by label: String, _ states: [(String, Bool)]) -> MetricFamily {
        MetricFamily(name, .gauge, labels: [label], states.map { MetricSample($1 ? 1 : 0, [$0]) })
    }

    fileprivate static func counter(_ name: String, _ count: Int) -> MetricFamily {
        MetricFamily(name, .counter, [MetricSample(Double(count))])
    }

    fileprivate static func counter(_ name: String, by label: String, _ counts: [(String, Int)]) -> MetricFamily {
        MetricFamily(name, .counter, labels: [label], counts.map { MetricSample(Double($1), [$0]) })
    }
}
