import APNs
package import Base
import Core
import Metrics
import OpenSSL
import Postgres
import Synchronization
package import Systemd

import struct FoundationEssentials.UUID

/// Writes the journal's lines: one per change of state, and one per sweep that did something. Never a token, key or
/// text. `Event` defines names, priorities and limits, and the lines' texts are here.
package final class Reporter: Sendable {
    private let log: @Sendable (LogLine) -> Void
    /// The wrong values in users' data that were reported. With very many, all are forgotten and reported again.
    let noticed = Mutex<Set<Notice.Value>>([])
    private let repeats = Mutex(RepeatBook())
    private let mood = Mutex(DatabaseMood())
    private let lastSweep = Mutex<String?>(nil)
    private let names = Mutex(DeviceNames(secret: ""))
    /// Ports and files of the metrics that fail now.
    let metricsTroubles = Mutex<Set<String>>([])

    package init(_ log: @escaping @Sendable (LogLine) -> Void) { self.log = log }

    func callDevices(by names: DeviceNames) { self.names.withLock { $0 = names } }

    func device(_ hash: String) -> String { names.withLock { $0 }.name(hash) }

    /// Writes a line, or only counts it if its kind has reached the limit. `about`: distinguishes lines of one event
    /// for the limit, such as by a reason or a lane.
    /// - Returns: whether the line was written.
    @discardableResult
    func say(
        _ event: Event,
        about: String = "",
        _ message: String,
        _ fields: [String: String] = [:],
        file: String = #fileID,
        line: UInt = #line
    ) -> Bool {
        let (isSaid, before) = repeats.withLock { $0.admit(event, about: about, now: BootTime.milliseconds()) }
        before.forEach(tell)
        if isSaid { log(LogLine(event, message, fields, file: file, line: line, function: event.name)) }
        return isSaid
    }

    // MARK: Repeats

    func tellRepeats() { repeats.withLock { $0.ended(now: BootTime.milliseconds()) }.forEach(tell) }

    func tellAllRepeats() { repeats.withLock { $0.endAll() }.forEach(tell) }

    private func tell(_ held: RepeatBook.Held) {
        let about = held.about.isEmpty ? "" : " (\(held.about))"
        let span = Elapsed.text(held.event.repeats?.seconds ?? 0)
        let more = "\(Elapsed.grouped(held.count)) more like it within \(span)"
        let text = "\(more): \(held.event.subject)\(about)"
        log(LogLine(held.event, text, ["repeats": "\(held.count)"], function: held.event.name))
    }

    // MARK: The database

    /// One line per change of state. A statement that does not fit the schema is none: the database answered.
    func databaseFailed(_ error: PostgresError) {
        if error.isAboutSchema, error.sqlState != "42501" {
            databaseAnswered()
            return statementFailed(error.description)
        }
        let refused = error.sqlState?.hasPrefix("28") == true || error.sqlState == "42501"
        let event: Event =
            switch true {
            case refused: .databaseRefused
            case error.isHeldUp: .databaseBusy
            case error.isExhausted: .databaseExhausted
            case error.isCommitStuck: .databaseWaits
            default: .databaseLost
            }
        let fields = ["sqlstate": error.sqlState ?? "none"]
        databaseIs(event, "\(error)", fields, isAway: !error.isAboutSchema)
    }

    /// One line per state. The daemon waits until the schema is usable.
    func schemaIs(_ state: Migrator.SchemaState) { databaseIs(.migrationsMissing, state.text, [:], isAway: false) }

    private func databaseIs(_ event: Event, _ text: String, _ fields: [String: String], isAway: Bool) {
        let isNews = mood.withLock { $0.failed(event, text, isAway: isAway, now: BootTime.milliseconds()) }
        if isNews, say(event, text, fields) { mood.withLock { $0.told() } }
    }

    func databaseAnswered() {
        guard let away = mood.withLock({ $0.answered(now: BootTime.milliseconds()) }) else { return }
        let span = Elapsed.text(max(1, away / 1000))
        say(.databaseBack, "PostgreSQL answers again, after \(span)", ["away_ms": "\(away)"])
    }

    func statementFailed(_ error: String) {
        say(.writeFailed, about: error, "the database refused a statement, trying again: \(error)")
    }

    var database: DatabaseMood { mood.withLock { $0 } }

    /// Partitions are made seven days ahead, so nothing is lost yet.
    func partitionsFailed(_ error: PostgresError) {
        say(.partitionsFailed, "could not create the record's next partitions, trying again: \(error)")
    }

    /// A database that does not answer has its own line.
    func statusFailed(_ error: PostgresError) {
        guard !error.isTransient, error.code != .cancelled else { return }
        say(.statusFailed, about: "\(error)", "could not write this daemon's status: \(error)")
    }

    // MARK: Sweeps

    var lastSweepText: String? { lastSweep.withLock { $0 } }

    func finished(_ id: UUID, _ report: SweepReport) {
        lastSweep.withLock { $0 = "last sweep: \(report.text)" }
        guard report.isWorthALine else { return }
        var fields = ["sweep_id": Self.name(id), "duration_ms": "\(report.milliseconds)"]
        for (name, count) in report.counts { fields[name] = "\(count)" }
        say(.sweep, "sweep: \(report.text)", fields)
    }

    func sender(_ event: SenderEvent, _ lane: LaneIdentity) {
        let (name, text, fields) = Self.line(event, lane.text)
        let all = fields.merging(["topic": lane.topic, "environment": lane.environment]) { $1 }
        say(name, about: lane.text, text, all)
    }

    private static func line(_ event: SenderEvent, _ lane: String) -> (Event, String, [String: String]) {
        switch event {
        case .connectionOpened(let number, let streams, let server):
            let name = server.isApples ? "Apple" : "\(server), which is not Apple's,"
            let fields = ["connection": "\(number)", "streams": "\(streams)", "server": "\(server)"]
            return (.connectionOpened, "connected to \(name) for \(lane)", fields)
        case .connectionLost(let number, let why, let retry):
            let next = retry > 0 ? "; next try in \(retry) ms" : ""
            return (.connectionLost, "the connection for \(lane) ended: \(why)\(next)", ["connection": "\(number)"])
        case .connectionSilent(let number, let unanswered):
            let text = "nudged closes a connection for \(lane): \(unanswered) pushes in a row were not answered"
            return (.connectionLost, text, ["connection": "\(number)"])
        case .goAway(let number, let reason):
            let text = "the server closes a connection for \(lane): \(reason)"
            return (.goaway, text, ["connection": "\(number)", "reason": reason])
        case .connectionResting:
            let text = "a connection for \(lane) sends nothing for 20 minutes (TooManyProviderTokenUpdates)"
            return (.connectionResting, text, [:])
        case .laneStopped(let reason, let remedy):
            let text = "sending for \(lane) is stopped, \(LaneStatus.cause(reason)): \(remedy)"
            return (.laneStopped, text, ["reason": reason])
        case .laneResumed: return (.laneResumed, "sending for \(lane) resumes", [:])
        case .tokenMinted(let keyID, let issuedAt):
            let fields = ["key_id": keyID, "issued_at": "\(issuedAt)"]
            return (.providerTokenMinted, "signed a provider token", fields)
        case .storm(let count, let status, let reason):
            let pushes = Elapsed.counted(count, "push", "pushes")
            let text = "Apple answered \(pushes) for \(lane) with \(status) \(reason); sending slows down"
            return (.laneSlowed, text, ["count": "\(count)", "status": "\(status)", "reason": "\(reason)"])
        case .ourBug(let status, let reason):
            let text = "Apple refused a push because of a bug in nudged: \(status) \(reason); please report it"
            return (.ourBug, text, ["status": "\(status)", "reason": reason])
        }
    }

    // MARK: Decisions, metrics and the heartbeat

    /// The decision service fails, or answers again. `nudged status` shows the current state.
    func decisions(_ status: DecisionStatus) {
        if status.state == DecisionStatus.active {
            say(.decisionBack, "the decision service answers again")
        } else {
            let why = (status.reason ?? "it fails").oneLine
            let next = "each user's fallback_strategy decides; nudged tries the service again within a minute"
            say(.decisionFallback, "the decision service is not called for now: \(why); \(next)", ["reason": why])
        }
    }

    /// One line when a port or file of the metrics begins to fail, however often it is retried.
    func metricsFailed(_ error: MetricsError, at place: String) {
        guard metricsTroubles.withLock({ $0.insert(place).inserted }) else { return }
        let text = "the metrics can't be served or written: \(error); nudged tries again every ten seconds"
        say(.metricsFailed, about: place, text, ["place": place])
    }

    func metricsShown(at place: String) {
        guard metricsTroubles.withLock({ $0.remove(place) }) != nil else { return }
        say(.metricsBack, about: place, "the metrics are available again at \(place)", ["place": place])
    }

    func heartbeat(_ fault: String?) {
        if let why = fault?.oneLine {
            say(.heartbeatFailed, "the heartbeat's calls fail: \(why); nudges are still sent", ["reason": why])
        } else {
            say(.heartbeatBack, "the heartbeat's calls succeed again")
        }
    }
}

/// Names devices in the journal: a hash of the record's device hash, keyed with the main app's signing key.
/// Journals are copied to places where the database is not. With the record's hash, anyone who has a token could find
/// out what its user got. The keyed hash shows nothing without the key. All daemons with one key use the same names,
/// and `nudged explain` prints both.
package struct DeviceNames: Sendable {
    private let key: [UInt8]

    /// - Parameter secret: the text of the signing key.
    package init(secret: Secret) {
        let digest = secret.withBytes { bytes in SHA256.digest(of: bytes)?.bytes ?? [] }
        // A derived key, so that no other use of the secret gives the same bytes.
        key = SHA256.hmac(key: digest, Array("nudged: devices in the journal".utf8))
    }

    /// For names that need no key.
    package init(secret: String) { self.init(secret: Secret(secret)) }

    /// 12 hexadecimal digits for a device. `deviceHash` is its name in the record.
    package func name(_ deviceHash: String) -> String {
        let digits = SHA256.hmac(key: key, Array(deviceHash.utf8)).prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return digits.joined()
    }
}
