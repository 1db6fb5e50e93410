import Base
package import Configuration
import Core
import JSON
import Service
import TimeZones

/// Nothing older than now is sent: the record since the backup is lost, so a slot that has come may have been sent.
package struct AfterRestoreReport: CommandOutput {
    let command: String
    /// Whether it may work while daemons are alive. They may send nudges a second time.
    let besideDaemons: Bool
    /// By the database's clock. Nothing that was due before it is sent.
    let at: Instant
    let isDone: Bool
    var daemons: [LivingDaemon] = []
    var messages = DroppedRows()
    var reminders = DroppedRows()
    var users = 0
    /// Pushes that were in flight when the backup was made.
    var unknown = 0

    private static let intentsAtOnce = 100

    package static func run(
        _ configuration: Configuration,
        command: String,
        isDryRun: Bool,
        besideDaemons: Bool
    ) async throws -> AfterRestoreReport {
        try await DatabaseAccess(configuration).withStore { store in
            let daemons = try await store.livingDaemons()
            guard isDryRun || daemons.isEmpty || besideDaemons else { throw refusal(beside: daemons) }
            let clock = try await Steps().again { try await store.clock() }
            // Rounded up: pushes of the second that has begun may have been sent too.
            let at = Instant(seconds: clock / 1_000_000 + 1)
            var report = AfterRestoreReport(command: command, besideDaemons: besideDaemons, at: at, isDone: !isDryRun)
            report.daemons = daemons
            if isDryRun { try await report.count(store) } else { try await report.restore(store) }
            return report
        }
    }

    private mutating func count(_ store: Store) async throws {
        let (steps, limit) = (Steps(), Steps.countedAtOnce)
        for query in [Query.restoreMessages, .restoreReminders] {
            try await steps.pages { user in
                let page = try await store.restorable(query, from: user, now: at, limit: limit)
                if query == .restoreMessages { messages += page.dropped } else { reminders += page.dropped }
                return page.next
            }
        }
        users += try await steps.count { try await store.count(.countUsers, from: $0, most: limit) }
        users += try await steps.count { try await store.count(.restoreNewcomers, from: $0, most: limit) }
        unknown = try await steps.again { try await store.restorablePushes() }
    }

    private mutating func restore(_ store: Store) async throws {
        let (steps, now) = (Steps(), at)
        // Changes first: they make rows for users who have none yet, and the pass over all users must find these rows.
        while try await steps.again({ try await store.restoreTouches(before: now, limit: Steps.page) }) {}
        while true {
            let found = try await steps.again { try await store.restoreIntents(limit: Self.intentsAtOnce) }
            unknown += found.pushes
            if found.intents < Self.intentsAtOnce { break }
        }
        try await steps.pages { user in
            let page = try await store.restoreUsers(from: user, now: now, limit: Steps.page)
            users += page.users
            messages += page.messages
            reminders += page.reminders
            return page.next
        }
    }

    /// The last line of a dry run is the command that does it.
    package func text(on screen: Screen) -> String {
        let done = "done: nothing that was due before \(at.rfc3339) is sent"
        let dry = "nothing was changed: this is a dry run. Use this command only after a restore from a backup."
        var all: [(verb: String, what: String)] = []
        func add(_ done: String, _ dry: String, _ what: String) { all.append((isDone ? done : dry, what)) }
        let some = Elapsed.counted(reminders.fanOuts, "fan-out", "fan-outs")
        let fanOuts = reminders.fanOuts > 0 ? ", including \(some)" : ""
        add("dropped", "would drop", Self.describe(messages, "message", "messages", "created"))
        // The daemon drops reminders, since it goes on with their series.
        add("will drop", "would drop", Self.describe(reminders, "reminder", "reminders", "due") + fanOuts)
        if reminders.perhaps > 0 {
            let more = Elapsed.counted(reminders.perhaps, "more reminder", "more reminders")
            let why = "the user's time zone decides whether the wall time has passed"
            add("will drop", "would drop", "up to \(more): \(why)")
        }
        add("recorded", "would record", Elapsed.counted(unknown, "push", "pushes") + " in flight as unknown")
        let people = Elapsed.counted(users, "user", "users")
        add("will evaluate", "would evaluate", "\(people) again, without check-ins from before \(at.rfc3339)")
        let width = all.map { $0.verb.count }.max() ?? 0
        let lines = all.map { $0.verb.padded(width + 2) + $0.what }
        return ([isDone ? done : dry, ""] + lines + [""] + end).joined(separator: "\n")
    }

    private static func describe(_ rows: DroppedRows, _ one: String, _ many: String, _ what: String) -> String {
        let count = Elapsed.counted(rows.count, one, many)
        guard rows.count > 0, let oldest = rows.oldest, let newest = rows.newest else { return count }
        let time = oldest == newest ? "at \(oldest.rfc3339)" : "from \(oldest.rfc3339) to \(newest.rfc3339)"
        return "\(count) of \(Elapsed.counted(rows.users, "user", "users")), \(what) \(time)"
    }

    private var living: [String] {
        guard !daemons.isEmpty else { return ["No daemon is alive."] }
        return ["\(Elapsed.counted(daemons.count, "daemon is", "daemons are")) alive:"] + daemons.map { "  " + $0.text }
    }

    static func refusal(beside daemons: [LivingDaemon]) -> CommandFailure {
        let count = Elapsed.counted(daemons.count, "daemon is", "daemons are")
        let head = "nothing was changed: \(count) alive, and may send nudges a second time"
        let end = [remedy, "To do it while daemons run, add --while-daemons-run."]
        return CommandFailure(([head] + daemons.map { "  " + $0.text } + end).joined(separator: "\n"), .temporary)
    }

    private static let remedy = """
        Stop every daemon on its host: systemctl stop nudged
        A daemon that was killed counts as alive until its lease ends.
        """

    private var end: [String] {
        let twice = "What daemons sent between the restore and this command may be sent a second time."
        if isDone, !daemons.isEmpty { return living + [twice] }
        if isDone { return ["No daemon is alive. To start it on each host: systemctl start nudged"] }
        let flag = besideDaemons ? " --while-daemons-run" : ""
        let remedy = daemons.isEmpty || besideDaemons ? [] : [Self.remedy]
        return living + remedy + ["", remedy.isEmpty ? "To do it:" : "Then run:", "    \(command) --yes\(flag)"]
    }

    package var json: String {
        let more: Fields = ["fan_outs": reminders.fanOuts, "perhaps": reminders.perhaps]
        return Fields.text([
            "done": isDone, "at": at, "users": users, "unknown": unknown, "messages": Self.fields(messages),
            "reminders": Self.fields(reminders) + more,
            "daemons": daemons.map { daemon -> Fields in
                ["daemon_id": daemon.id, "host": daemon.host, "pid": daemon.pid, "lease_ms": daemon.leaseMilliseconds]
            },
        ])
    }

    private static func fields(_ rows: DroppedRows) -> Fields {
        ["count": rows.count, "users": rows.users, "oldest": rows.oldest, "newest": rows.newest]
    }
}

extension LivingDaemon {
    /// `web-1, process 4711, daemon 0f…: its lease ends in 24 s`
    var text: String {
        let process = pid.map { ", process \($0)" } ?? ""
        return "\(host?.printable ?? "host not known yet")\(process), daemon \(id.uuidString.lowercased()): "
            + "its lease ends in \(Elapsed.text((leaseMilliseconds + 999) / 1000))"
    }
}
