import APNs
package import Logging
import Postgres
import Store
import Synchronization
import Systemd

import struct FoundationEssentials.UUID

/// Turns what happens into lines for the operator: one per change of state, one per sweep that did something, never a token, key or text.
package final class Reporter: Sendable {
    private let log: Logger
    private let notices = OncePerValue<Notice.Value>()
    private let refusals = LineThrottle(every: 10_000)
    /// Tried again each minute; behind a long reader it is the same line for hours.
    private let partitionLines = LineThrottle(every: 3_600_000)
    /// One line in ten minutes for each way to fail.
    let zoneFailures = LineThrottle(every: 600_000)
    private let databaseTrouble = Mutex<String?>(nil)
    private let lastSweep = Mutex<String?>(nil)

    package init(_ log: Logger) {
        self.log = log
    }

    func say(_ event: Event, _ level: Logger.Level = .info, _ message: String, _ metadata: Logger.Metadata = [:]) {
        var metadata = metadata
        metadata["event"] = "\(event.rawValue)"
        log.log(level: level, "\(message)", metadata: metadata)
    }

    // MARK: Sweeps

    func sweep(_ event: SweepEvent) {
        switch event {
        case .finished(let id, let report):
            lastSweep.withLock { $0 = "last sweep: \(report.words)" }
            if report.isWorthALine { finished(Self.name(id), report) }
        case .recovered(let pushes):
            say(
                .intentsRecovered,
                .warning,
                "a daemon ended without notice: what it was sending is recorded as unknown (\(pushes)); check-ins are not sent again",
                ["unknown": "\(pushes)"]
            )
        case .noticed(let found): found.forEach(notice)
        case .zonesUnread(let error, let users): zonesUnread(error, users: users)
        case .rejected(let user, let device, let reason, let status):
            rejected(Self.name(user), device, reason, status)
        case .unknown(let user, let device, let reason):
            let name = Self.name(user)
            say(
                .pushUnknown,
                .notice,
                "a push to user \(name) was written and not answered (\(reason)); a check-in is not sent again",
                ["user_id": "\(name)", "device": "\(device)", "reason": "\(reason)"]
            )
        case .quarantined(let device):
            say(
                .deviceQuarantined,
                .notice,
                "Apple refuses a device of user \(Self.name(device.userID)) for \(device.topic) (\(device.environment)): \(device.reason); "
                    + "nothing is sent to it there until it registers anew",
                [
                    "user_id": "\(Self.name(device.userID))", "device": "\(device.deviceHash)",
                    "reason": "\(device.reason)", "topic": "\(device.topic)", "environment": "\(device.environment)",
                ]
            )
        case .settlementFailed(let error):
            // Each chunk tries again for itself: one line in ten seconds tells it.
            guard let suppressed = refusals.admit(error, now: BootTime.milliseconds()) else { return }
            let more = suppressed > 0 ? " (and \(suppressed) times more since the last such line)" : ""
            say(
                .sweepFailed,
                .warning,
                "could not write what is or was sent to the database, trying again: \(error)\(more)"
            )
        case .fenced(let pushes):
            say(
                .leaseLost,
                .warning,
                "\(pushes) outcomes came after the lease had ended, and another daemon has recorded them as unknown",
                ["unknown": "\(pushes)"]
            )
        case .paused(let kinds, let before): paused(kinds, before: before)
        case .progress: break
        }
    }

    private func finished(_ id: String, _ report: SweepReport) {
        say(
            .sweep,
            report.rejected + report.unknown > 0 ? .notice : .info,
            "sweep: \(report.words)",
            [
                "sweep_id": "\(id)", "users": "\(report.users)", "sent": "\(report.sent)",
                "rejected": "\(report.rejected)",
                "deferred": "\(report.deferred)", "unknown": "\(report.unknown)", "skipped": "\(report.skipped)",
                "tokens_deleted": "\(report.tokensDeleted)", "duration_ms": "\(report.milliseconds)",
            ]
        )
    }

    private func rejected(_ user: String, _ device: String, _ reason: String, _ status: Int?) {
        let metadata: Logger.Metadata = [
            "user_id": "\(user)", "device": "\(device)", "reason": "\(reason)",
            "status": "\(status.map(String.init) ?? "none")",
        ]
        switch reason {
        case "invalid_token":
            say(
                .invalidToken,
                .warning,
                "a device token of user \(user) is no hexadecimal; check what the app stores",
                metadata
            )
        case "payload_too_large":
            say(
                .payloadTooLarge,
                .error,
                "the payload is over Apple's 4,096 bytes; shorten checkIn.title or checkIn.body",
                metadata
            )
        default:
            say(.pushRejected, .notice, "Apple refused a push to user \(user): \(reason)", metadata)
        }
    }

    private func notice(_ notice: Notice) {
        guard notices.isNew(notice.value) else { return }
        switch notice {
        case .rowUnreadable(let id):
            let user = Self.name(id)
            say(
                .rowUnreadable,
                .error,
                "the row of user \(user) in nudged.person holds what can't be read; mend or delete it; they are left alone for a day",
                ["user_id": "\(user)"]
            )
        case .preferencesMalformed(let id, _, let why):
            let user = Self.name(id)
            say(
                .preferencesMalformed,
                .warning,
                "the preferences of user \(user) are malformed (\(why)): no check-ins for whoever has this value until it is mended",
                ["user_id": "\(user)"]
            )
        case .timezoneInvalid(let id, _):
            let user = Self.name(id)
            say(
                .timezoneInvalid,
                .warning,
                "user \(user) names a time zone that the system doesn't know; the profile's or the default one is used",
                ["user_id": "\(user)"]
            )
        case .historyAhead(let id):
            let user = Self.name(id)
            say(
                .historyAhead,
                .warning,
                "the history of user \(user) lies more than 48 h ahead and is ignored: did a host run with a wrong clock?",
                ["user_id": "\(user)"]
            )
        case .deviceNotServed(let id, let environment, let topic):
            let user = Self.name(id)
            let said = [environment, topic].map {
                $0.map { "\"\($0.prefix(64).filter { $0.isASCII && !$0.isNewline })\"" } ?? "null"
            }
            say(
                .configurationWarning,
                .notice,
                "user \(user) has a device of environment \(said[0]) and topic \(said[1]), for which the configuration has no app: "
                    + "not served; add it under apns.apps, or mend the token's row",
                ["user_id": "\(user)"]
            )
        }
    }

    /// As PostgreSQL writes it, so that it can be pasted into a query.
    private static func name(_ id: UUID) -> String { id.uuidString.lowercased() }

    // MARK: The database

    /// One line per change of state.
    func databaseFailed(_ error: PostgresError) {
        let isNew = databaseTrouble.withLock { trouble in
            defer { trouble = "\(error)" }
            return trouble != "\(error)"
        }
        guard isNew else { return }
        let refused = error.sqlState?.hasPrefix("28") == true || error.sqlState == "42501"
        let event: Event =
            if refused { .databaseRefused } else if error.isHeldUp { .databaseBusy } else if error.isExhausted {
                .databaseExhausted
            } else { .databaseLost }
        say(event, event == .databaseBusy ? .warning : .error, "\(error)", ["sqlstate": "\(error.sqlState ?? "none")"])
    }

    func databaseAnswered() {
        let wasInTrouble = databaseTrouble.withLock { trouble in
            defer { trouble = nil }
            return trouble != nil
        }
        if wasInTrouble { say(.databaseBack, .notice, "PostgreSQL answers again") }
    }

    /// Seven days of them are ready, so it is no trouble yet.
    func partitionsFailed(_ error: PostgresError) {
        guard partitionLines.admit(error.description, now: BootTime.milliseconds()) != nil else { return }
        say(.sweepFailed, .warning, "could not make the record's next partitions, trying again: \(error)")
    }

    /// What keeps the database from answering, in words; nil where it answers.
    var databaseTroubleWords: String? { databaseTrouble.withLock { $0 } }

    /// Said once per standing: the daemon waits until it is current.
    func schemaIs(_ standing: Migrator.Standing) {
        let words = standing.words
        let isNew = databaseTrouble.withLock { trouble in
            defer { trouble = words }
            return trouble != words
        }
        if isNew { say(.migrationsMissing, .error, words) }
    }

    /// Said at the start of the work; nothing waits.
    func schemaIsNewer(_ standing: Migrator.Standing) { say(.schemaNewer, .notice, standing.words) }

    /// The last sweep that did something, in words.
    var lastSweepWords: String? { lastSweep.withLock { $0 } }
}

extension Reporter {
    func say(_ event: Event, _ message: String, _ metadata: Logger.Metadata = [:]) {
        say(event, .info, message, metadata)
    }
}

extension Migrator.Standing {
    /// In words, with the mend.
    var words: String {
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
