import Delivery
import Planning
import APNs
package import Logging
import Policy
import Postgres
import Store
import Synchronization
import Systemd

import struct FoundationEssentials.UUID

/// Turns what happens into lines for the operator: one per change of state, one per sweep that did something, never a token, key or text.
///
/// What an event is called, its priority and how often it is said stand in its definition (`Event`); here are the words of each line.
package final class Reporter: Sendable {
    private let log: Logger
    let notices = OncePerValue<Planning.Notice.Value>()
    private let repeats = Mutex(RepeatBook())
    private let mood = Mutex(DatabaseMood())
    private let lastSweep = Mutex<String?>(nil)
    private let names = Mutex(DeviceNames(secret: ""))
    /// Places of the metrics that can't be used.
    let metricsTroubles = Mutex<Set<String>>([])

    package init(_ log: Logger) {
        self.log = log
    }

    /// How devices are called from now on.
    func callDevices(by names: DeviceNames) { self.names.withLock { $0 = names } }

    func device(_ hash: String) -> String { names.withLock { $0 }.name(hash) }

    /// Writes a line, or counts it where its kind was said often enough.
    ///
    /// - Parameter about: what tells the event's kinds apart, for the count: a reason, a lane.
    /// - Returns: whether it was written.
    @discardableResult
    func say(
        _ event: Event,
        about: String = "",
        _ message: String,
        _ fields: Logger.Metadata = [:],
        file: String = #fileID,
        line: UInt = #line
    ) -> Bool {
        let (isSaid, before) = repeats.withLock { $0.admit(event, about: about, now: BootTime.milliseconds()) }
        before.forEach(tell)
        if isSaid { write(event, message, fields, file: file, line: line) }
        return isSaid
    }

    private func write(
        _ event: Event,
        _ message: String,
        _ fields: Logger.Metadata,
        file: String = #fileID,
        line: UInt = #line
    ) {
        let fields = fields.merging(["event": "\(event.name)"]) { $1 }
        log.log(level: event.level, "\(message)", metadata: fields, file: file, function: event.name, line: line)
    }

    // MARK: Repeats

    /// Tells what was kept back in times that are over.
    func tellRepeats() { repeats.withLock { $0.ended(now: BootTime.milliseconds()) }.forEach(tell) }

    /// Tells all that was kept back.
    func tellAllRepeats() { repeats.withLock { $0.endAll() }.forEach(tell) }

    private func tell(_ held: RepeatBook.Held) {
        let about = held.about.isEmpty ? "" : " (\(held.about))"
        write(
            held.event,
            "\(Elapsed.grouped(held.count)) more like it within \(Elapsed.words(held.seconds)): \(held.event.subject)\(about)",
            ["repeats": "\(held.count)"]
        )
    }

    // MARK: The database

    /// One line per change of state.
    func databaseFailed(_ error: PostgresError) {
        let refused = error.sqlState?.hasPrefix("28") == true || error.sqlState == "42501"
        let event: Event =
            if refused { .databaseRefused } else if error.isHeldUp { .databaseBusy } else if error.isExhausted {
                .databaseExhausted
            } else if error.isCommitStuck {
                .databaseWaits
            } else { .databaseLost }
        databaseIs(event, "\(error)", ["sqlstate": "\(error.sqlState ?? "none")"])
    }

    /// Said once per standing: the daemon waits until it is current.
    func schemaIs(_ standing: Migrator.Standing) { databaseIs(.migrationsMissing, standing.words, [:]) }

    private func databaseIs(_ event: Event, _ words: String, _ fields: Logger.Metadata) {
        let isNews = mood.withLock { $0.failed(event, words, now: BootTime.milliseconds()) }
        if isNews, say(event, words, fields) { mood.withLock { $0.told() } }
    }

    func databaseAnswered() {
        guard let away = mood.withLock({ $0.answered(now: BootTime.milliseconds()) }) else { return }
        say(
            .databaseBack,
            "PostgreSQL answers again, after \(Elapsed.words(max(1, away / 1000)))",
            ["away_ms": "\(away)"]
        )
    }

    /// What keeps the database from answering, in words; nil where it answers.
    var databaseTroubleWords: String? { mood.withLock { $0.trouble } }

    /// Whether it answers, and only its schema is in the way.
    var waitsForSchema: Bool { mood.withLock { $0.waitsForSchema } }

    /// Seven days of them are ready, so it is no trouble yet.
    func partitionsFailed(_ error: PostgresError) {
        say(.partitionsFailed, "could not make the record's next partitions, trying again: \(error)")
    }

    /// A database that is away has its own line.
    func standingFailed(_ error: PostgresError) {
        guard !error.isTransient, error.code != .cancelled else { return }
        say(.standingFailed, about: "\(error)", "could not write how this daemon stands: \(error)")
    }

    /// Said at the start of the work; nothing waits.
    func schemaIsNewer(_ standing: Migrator.Standing) { say(.schemaNewer, standing.words) }

    // MARK: Sweeps

    /// The last sweep that did something, in words.
    var lastSweepWords: String? { lastSweep.withLock { $0 } }

    func finished(_ id: UUID, _ report: SweepReport) {
        lastSweep.withLock { $0 = "last sweep: \(report.words)" }
        guard report.isWorthALine else { return }
        let counts: [(String, Int)] = [
            ("users", report.users), ("sent", report.sent), ("rejected", report.rejected),
            ("deferred", report.deferred), ("unknown", report.unknown), ("unsent", report.unsent),
            ("skipped", report.skipped), ("dropped", report.dropped), ("changed", report.changed),
            ("recovered", report.recovered), ("fenced", report.fenced), ("tokens_deleted", report.tokensDeleted),
            ("duration_ms", Int(report.milliseconds)),
        ]
        var fields: Logger.Metadata = ["sweep_id": "\(id.uuidString.lowercased())"]
        for (name, count) in counts { fields[name] = "\(count)" }
        say(.sweep, "sweep: \(report.words)", fields)
    }
}

extension Migrator.Standing {
    /// In words, with the mend.
    package var words: String {
        switch self {
        case .current: "the schema is current"
        case .behind(let pending):
            pending.count == Migration.all.count
                ? "the database has no schema nudged yet: run nudged migrate"
                : "\(pending.count) migrations are pending: run nudged migrate"
        case .newer(let newest):
            "the database was migrated by a newer nudged (migration \(newest)), with which this one works: upgrade it here when it suits"
        case .ahead(let newest):
            "the database was migrated by a newer nudged (migration \(newest)): install that version here"
        case .hidden:
            "row-level security hides nudged's tables or the app's from this role: connect as nudged_daemon, and run nudged migrate as the role that owns the app's tables (docs/SQL.md)"
        case .changed(let number):
            "migration \(number) was applied with another text than this version's: install the version that applied it"
        }
    }
}
