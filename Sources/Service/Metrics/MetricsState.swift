import Delivery
import Policy
import Store
import TimeZones

/// Everything that the metrics tell, at one moment.
struct MetricsState: Sendable {
    /// What the database said of the work, and how long ago.
    struct Work: Sendable {
        var standing: WorkStanding
        var age: Duration
    }

    /// The program's.
    var version: String
    /// When it started; nil while no clock was read.
    var startedAt: Instant?
    var sample: DaemonSample
    /// Ranges of users that it owns.
    var rangesOwned = 0
    /// All sweeps together.
    var totals = SweepReport()
    var book = MetricsBook()
    /// What the kill switch holds.
    var paused: Set<NudgeKind> = []
    var isDatabaseUp: Bool
    var isSchemaUsable: Bool
    /// nil: not asked, or too long ago.
    var work: Work?
}
