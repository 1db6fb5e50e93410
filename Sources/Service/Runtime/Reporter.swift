import Base
import Core
import APNs
package import Logging
import Policy
import Postgres
import Synchronization
import Systemd

import struct FoundationEssentials.UUID

/// Writes the journal's lines: one per change of state, and one per sweep that did something. Never a token, key or
/// text.
///
/// An event's definition (`Event`) has its name, priority and limit of lines. The text of each line is here.
package final class Reporter: Sendable {
    private let log: Logger
    let notices = OncePerValue<Notice.Value>()
    private let repeats = Mutex(RepeatBook())
    private let mood = Mutex(DatabaseMood())
    private let lastSweep = Mutex<String?>(nil)
    private let names = Mutex(DeviceNames(secret: ""))
    /// Ports and files of the metrics that fail now.
    let metricsTroubles = Mutex<Set<String>>([])

    package init(_ log: Logger) {
        self.log = log
    }

    /// Sets how devices are named from now on.
    func callDevices(by names: DeviceNames) { self.names.withLock { $0 = names } }

    func device(_ hash: String) -> String { names.withLock { $0 }.name(hash) }

    /// Writes a line, or only counts it if its kind has reached the limit.
    ///
    /// - Parameter about: distinguishes lines of one event for the limit, such as by a reason or a lane.
    /// - Returns: whether the line was written.
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

    /// Reports suppressed lines of windows that are over.
    func tellRepeats() { repeats.withLock { $0.ended(now: BootTime.milliseconds()) }.forEach(tell) }

    /// Reports all suppressed lines.
    func tellAllRepeats() { repeats.withLock { $0.endAll() }.forEach(tell) }

    private func tell(_ held: RepeatBook.Held) {
        let about = held.about.isEmpty ? "" : " (\(held.about))"
        write(
            held.event,
            "\(Elapsed.grouped(held.count)) more like it within \(Elapsed.text(held.seconds)): "
                + "\(held.event.subject)\(about)",
            ["repeats": "\(held.count)"]
        )
    }

    // MARK: The database

    /// One line per change of state. A statement that does not fit the schema is no change of state: the database
    /// answered.
    func databaseFailed(_ error: PostgresError) {
        if error.isAboutSchema, error.sqlState != "42501" {
            databaseAnswered()
            return statementFailed(error.description)
        }
        let refused = error.sqlState?.hasPrefix("28") == true || error.sqlState == "42501"
        let event: Event =
            if refused { .databaseRefused } else if error.isHeldUp { .databaseBusy } else if error.isExhausted {
                .databaseExhausted
            } else if error.isCommitStuck {
                .databaseWaits
            } else { .databaseLost }
        databaseIs(
            event,
            "\(error)",
            ["sqlstate": "\(error.sqlState ?? "none")"],
            isAway: !error.isAboutSchema
        )
    }

    /// One line per state. The daemon waits until the schema is usable.
    func schemaIs(_ schemaState: Migrator.SchemaState) {
        databaseIs(.migrationsMissing, schemaState.text, [:], isAway: false)
    }

    private func databaseIs(_ event: Event, _ text: String, _ fields: Logger.Metadata, isAway: Bool) {
        let isNews = mood.withLock { $0.failed(event, text, isAway: isAway, now: BootTime.milliseconds()) }
        if isNews, say(event, text, fields) { mood.withLock { $0.told() } }
    }

    func databaseAnswered() {
        guard let away = mood.withLock({ $0.answered(now: BootTime.milliseconds()) }) else { return }
        say(
            .databaseBack,
            "PostgreSQL answers again, after \(Elapsed.text(max(1, away / 1000)))",
            ["away_ms": "\(away)"]
        )
    }

    /// A statement of a sweep failed. It is tried again.
    func statementFailed(_ error: String) {
        say(.writeFailed, about: error, "the database refused a statement, trying again: \(error)")
    }

    /// Whether the database does not answer.
    var isDatabaseAway: Bool { mood.withLock(\.isAway) }

    /// Why the database can't be used, as text. nil while it answers.
    var databaseTroubleText: String? { mood.withLock { $0.trouble } }

    /// Whether the database answers, but its schema is not usable.
    var waitsForSchema: Bool { mood.withLock { $0.waitsForSchema } }

    /// Partitions are made seven days ahead, so nothing is lost yet.
    func partitionsFailed(_ error: PostgresError) {
        say(.partitionsFailed, "could not create the record's next partitions, trying again: \(error)")
    }

    /// A database that does not answer has its own line.
    func statusFailed(_ error: PostgresError) {
        guard !error.isTransient, error.code != .cancelled else { return }
        say(.statusFailed, about: "\(error)", "could not write this daemon's status: \(error)")
    }

    /// Reported at the start. Nothing waits.
    func schemaIsNewer(_ schemaState: Migrator.SchemaState) { say(.schemaNewer, schemaState.text) }

    // MARK: Sweeps

    /// The last sweep as text.
    var lastSweepText: String? { lastSweep.withLock { $0 } }

    func finished(_ id: UUID, _ report: SweepReport) {
        lastSweep.withLock { $0 = "last sweep: \(report.text)" }
        guard report.isWorthALine else { return }
        let counts: [(String, Int)] = [
            ("users", report.users), ("sent", report.sent), ("rejected", report.rejected),
            ("deferred", report.deferred), ("unknown", report.unknown), ("unsent", report.unsent),
            ("skipped", report.skipped), ("dropped", report.dropped), ("changed", report.changed),
            ("recovered", report.recovered), ("fenced", report.fenced), ("tokens_deleted", report.tokensDeleted),
            ("without_consent", report.withoutConsent), ("duration_ms", Int(report.milliseconds)),
        ]
        var fields: Logger.Metadata = ["sweep_id": "\(id.uuidString.lowercased())"]
        for (name, count) in counts { fields[name] = "\(count)" }
        say(.sweep, "sweep: \(report.text)", fields)
    }
}

extension Migrator.SchemaState {
    /// The state and its remedy.
    package var text: String {
        switch self {
        case .current: "the schema is current"
        case .behind(let pending):
            pending.count == Migration.all.count
                ? "the database has no schema nudged yet: run nudged migrate"
                : "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending: run nudged migrate"
        case .newer(let newest):
            "a newer nudged has migrated the database (migration \(newest)), and this version can work with it: "
                + "upgrade nudged here when convenient"
        case .ahead(let newest):
            "a newer nudged has migrated the database (migration \(newest)): install that version here"
        case .hidden:
            "row-level security hides tables of nudged or of the app from this role: connect as nudged_daemon, "
                + "and run nudged migrate as the role that owns the app's tables (docs/SQL.md)"
        case .misbound(let faults):
            "\(faults[0].text): \(faults[0].remedy)"
        case .changed(let number):
            "migration \(number) was applied with another text than this version's: "
                + "install the version that applied it"
        }
    }
}
