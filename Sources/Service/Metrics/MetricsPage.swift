import Core
import Metrics
import Policy
import TimeZones

/// The metrics of one moment as a page. Pure: `MetricsExporter` shows it.
struct MetricsPage: Sendable {
    let state: MetricsState

    /// In Prometheus' text format.
    var text: [UInt8] { Exposition.text(families) }

    /// All metrics in the order of their definition.
    var families: [MetricFamily] { service + sweeps + pushes + [lanes] + decisions + work }

    private var service: [MetricFamily] {
        [
            Metric.buildInfo.family([MetricSample(1, [MetricLabel("version", state.version)])]),
            Metric.startTime.family(state.startedAt.map { Double($0.seconds) }),
            Metric.lastSuccess.family(Double(state.book.lastSuccess?.seconds ?? 0)),
            Metric.sweepInterval.family(state.sample.interval / .seconds(1)),
            Metric.lostLines.family(state.sample.lostLines),
        ]
    }

    private var sweeps: [MetricFamily] {
        let results = [("bad", state.book.badSweeps), ("good", state.book.goodSweeps)]
        return [
            Metric.rangesOwned.family(state.rangesOwned),
            Metric.sweepsEnded.family(results.map { MetricSample(Double($1), [MetricLabel("result", $0)]) }),
            Metric.sweepDuration.family(state.book.durations.samples),
            Metric.usersClaimed.family(state.totals.users),
            Metric.usersChanged.family(state.totals.changed),
            Metric.recovered.family(state.totals.recovered),
            Metric.fenced.family(state.totals.fenced),
            Metric.writeFailures.family(state.book.writeFailures),
        ]
    }

    private var pushes: [MetricFamily] {
        let rows = NudgeKind.allCases.flatMap { kind in
            DeliveryRecord.Outcome.allCases.map { outcome in
                MetricSample(
                    Double(state.totals.record.count(outcome, of: kind.rawValue)),
                    [MetricLabel("kind", kind.rawValue), MetricLabel("outcome", outcome.rawValue)]
                )
            }
        }
        return [
            Metric.pushesEnded.family(rows),
            Metric.unsent.family(state.totals.unsent),
            Metric.inFlight.family(state.sample.inFlight),
            Metric.tokensDeleted.family(state.totals.tokensDeleted),
            Metric.quarantined.family(state.book.quarantined),
        ]
    }

    private var lanes: MetricFamily {
        let samples = state.sample.lanes.flatMap { lane in
            let now = LaneReport(lane, since: nil) { _ in nil }.state
            return LaneReport.State.all.map { known in
                MetricSample(
                    known == now ? 1 : 0,
                    [
                        MetricLabel("environment", lane.lane.environment), MetricLabel("topic", lane.lane.topic),
                        MetricLabel("state", known.rawValue),
                    ]
                )
            }
        }
        return Metric.laneState.family(samples)
    }

    private var decisions: [MetricFamily] {
        let reasons = Reason.allCases.filter { $0 != .due && $0 != .urgent }.map(\.rawValue) + [SweepReport.zonesUnread]
        let results = [("send", state.totals.sending)] + reasons.map { ($0, state.totals.resting[$0] ?? 0) }
        let decisions = DecisionOutcome.Origin.allCases.flatMap { origin in
            [true, false].map { notify in
                MetricSample(
                    Double(state.totals.decisions[.init(origin: origin, shouldNotify: notify)] ?? 0),
                    [MetricLabel("by", origin.rawValue), MetricLabel("notify", "\(notify)")]
                )
            }
        }
        let service = state.sample.decision.map {
            Metric.serviceState.family(
                states: ["active", "fallback"],
                now: $0.state == .active ? "active" : "fallback"
            )
        }
        return [
            Metric.usersDecided.family(results.map { MetricSample(Double($1), [MetricLabel("result", $0)]) }),
            Metric.serviceDecisions.family(decisions),
            Metric.withoutConsent.family(state.totals.withoutConsent),
            service ?? Metric.serviceState.family([]),
            Metric.pausedKinds.family(
                NudgeKind.allCases.map {
                    MetricSample(state.paused.contains($0) ? 1 : 0, [MetricLabel("kind", $0.rawValue)])
                }
            ),
        ]
    }

    private var work: [MetricFamily] {
        let status = state.work?.status
        let alive = status?.daemons.count { abs($0.unseenMilliseconds) < HeartbeatSchedule.aliveMilliseconds }
        return [
            Metric.databaseUp.family(state.isDatabaseUp),
            Metric.schemaUsable.family(state.isSchemaUsable),
            Metric.daemonsAlive.family(alive.map(Double.init)),
            Metric.dueUsers.family(status.map { Double($0.dueUsers) }),
            Metric.dueOldest.family(state.work.map(oldest)),
            Metric.changesWaiting.family(status.map { Double($0.touches) }),
            Metric.unknownPushes.family(status.map { Double($0.unknownPushes) }),
        ]
    }

    /// The age in the answer plus the age of the answer.
    private func oldest(_ work: MetricsState.Work) -> Double {
        guard let first = work.status.firstDue, work.status.dueUsers > 0 else { return 0 }
        return Double(max(0, work.status.now - first)) + Double(work.age.components.seconds)
    }
}
