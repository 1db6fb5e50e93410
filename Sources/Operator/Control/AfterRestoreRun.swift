package import Configuration
import Service
import Postgres
import Core
import Base
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged after-restore`: after a restore from a backup, nothing older than now is sent.
///
/// The record since the backup is lost. A slot that has come may have been sent, so no such slot is sent. The command
/// works user by user. After an interruption, run it again.
package struct AfterRestoreRun: Sendable {
    private let database: DatabaseAccess

    /// Users of one transaction: about ten milliseconds of row locks.
    private static let batch = 1_000
    private static let countedAtOnce = 20_000
    private static let intentsAtOnce = 100
    private static let attempts = 6

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        database = try DatabaseAccess(configuration)
    }

    /// Counts what `run` would do. It changes nothing and locks nothing.
    ///
    /// - Throws: `PostgresError` if the database can't be reached or refuses. `SchemaError` if its schema is not this
    ///   version's.
    package func preview() async throws -> AfterRestoreReport {
        try await database.withStore { try await preview($0) }
    }

    /// Passes over all users once.
    ///
    /// - Parameter besideDaemons: also while daemons are alive. They may send nudges a second time.
    /// - Throws: `DaemonsAlive`, and as `preview`.
    package func run(besideDaemons: Bool) async throws -> AfterRestoreReport {
        try await database.withStore { store in
            let daemons = try await store.livingDaemons()
            guard daemons.isEmpty || besideDaemons else { throw DaemonsAlive(daemons: daemons) }
            return try await restore(store, daemons)
        }
    }

    private func preview(_ store: Store) async throws(PostgresError) -> AfterRestoreReport {
        let now = try await moment(store)
        var report = AfterRestoreReport(at: now, isDone: false, daemons: try await store.livingDaemons())
        try await pages { (user) async throws(PostgresError) in
            let page = try await store.restorableMessages(from: user, now: now, limit: Self.countedAtOnce)
            report.messages += page.dropped
            return page.next
        }
        try await pages { (user) async throws(PostgresError) in
            let page = try await store.restorableReminders(from: user, now: now, limit: Self.countedAtOnce)
            report.reminders += page.dropped
            return page.next
        }
        try await pages { (user) async throws(PostgresError) in
            let page = try await store.countUsers(from: user, limit: Self.countedAtOnce)
            report.users += page.users
            return page.next
        }
        try await pages { (user) async throws(PostgresError) in
            let page = try await store.countNewcomers(from: user, limit: Self.countedAtOnce)
            report.users += page.users
            return page.next
        }
        report.unknown = try await again { () async throws(PostgresError) in try await store.restorablePushes() }
        return report
    }

    private func restore(
        _ store: Store,
        _ daemons: [LivingDaemon]
    ) async throws(PostgresError) -> AfterRestoreReport {
        let now = try await moment(store)
        var report = AfterRestoreReport(at: now, isDone: true, daemons: daemons)
        // Changes first: they make rows for users who have none yet, and the pass over all users must find these rows.
        while try await again({ () async throws(PostgresError) in
            try await store.restoreTouches(before: now, limit: Self.batch)
        }) {}
        while true {
            let found = try await again { () async throws(PostgresError) in
                try await store.restoreIntents(limit: Self.intentsAtOnce)
            }
            report.unknown += found.pushes
            if found.intents < Self.intentsAtOnce { break }
        }
        try await pages { (user) async throws(PostgresError) in
            let page = try await store.restoreUsers(from: user, now: now, limit: Self.batch)
            report.users += page.users
            report.messages += page.messages
            report.reminders += page.reminders
            return page.next
        }
        return report
    }

    /// Rounded up: pushes of the second that has begun may have been sent too.
    private func moment(_ store: Store) async throws(PostgresError) -> Instant {
        let clock = try await again { () async throws(PostgresError) in try await store.clock() }
        return Instant(seconds: clock / 1_000_000 + 1)
    }

    /// Passes over all users. `step` gets the first user of a page, and returns that of the next one.
    private func pages(_ step: (UUID) async throws(PostgresError) -> UUID?) async throws(PostgresError) {
        var next: UUID? = Store.firstUser
        while let user = next {
            next = try await again { () async throws(PostgresError) in try await step(user) }
        }
    }

    /// Repeats a step after a transient error (a deadlock, a broken connection). Each step may run twice.
    private func again<T>(_ step: () async throws(PostgresError) -> T) async throws(PostgresError) -> T {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try await step()
            } catch {
                guard error.isTransient, attempt < Self.attempts else { throw error }
                try? await Task.sleep(for: .milliseconds(50 << attempt))
                attempt += 1
            }
        }
    }
}

/// Why `nudged after-restore` was refused. Nothing was changed.
package struct DaemonsAlive: Error, CustomStringConvertible {
    let daemons: [LivingDaemon]

    package var description: String {
        let count = Elapsed.counted(daemons.count, "daemon is", "daemons are")
        var lines = ["nothing was changed: \(count) alive, and may send nudges a second time"]
        lines += daemons.map { "  " + $0.text }
        lines += [Self.remedy, "To do it while daemons run, add --while-daemons-run."]
        return lines.joined(separator: "\n")
    }

    static let remedy = """
        Stop every daemon on its host: systemctl stop nudged
        A daemon that was killed counts as alive until its lease ends.
        """
}

extension LivingDaemon {
    /// `web-1, process 4711, daemon 0f…: its lease ends in 24 s`
    var text: String {
        let process = pid.map { ", process \($0)" } ?? ""
        return "\(host?.printable ?? "host not known yet")\(process), daemon \(id.uuidString.lowercased()): "
            + "its lease ends in \(Elapsed.text((leaseMilliseconds + 999) / 1000))"
    }
}
