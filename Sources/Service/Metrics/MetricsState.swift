import Core
import Policy
import TimeZones

/// Everything that the metrics show, at one moment.
struct MetricsState: Sendable {
    /// The database's answer about the work, and its age.
    struct Work: Sendable {
        var status: WorkStatus
        var age: Duration
    }

    /// The program's version.
    var version: String
    /// nil until a clock was read.
    var startedAt: Instant?
    var sample: DaemonSample
    /// Ranges that this daemon owns.
    var rangesOwned = 0
    /// The counts of all sweeps.
    var totals = SweepReport()
    var book = MetricsBook()
    /// Kinds that are paused.
    var paused: Set<NudgeKind> = []
    var isDatabaseUp: Bool
    var isSchemaUsable: Bool
    /// nil: no answer, or it is too old.
    var work: Work?
}
