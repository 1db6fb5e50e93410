import Service
import JSON
import Core
import TimeZones

/// The result of `nudged after-restore`: what was done, or what `--yes` would do.
package struct AfterRestoreReport: Sendable {
    /// By the database's clock. Nothing that was due before it is sent.
    let at: Instant
    /// False: a dry run.
    let isDone: Bool
    /// Daemons that were alive when the command began.
    let daemons: [LivingDaemon]
    var messages = DroppedRows()
    var reminders = DroppedRows()
    /// Users who are evaluated again.
    var users = 0
    /// Pushes that were in flight when the backup was made.
    var unknown = 0

    // MARK: For a person

    /// Lines without a newline at the end. The last line of a dry run is the command that does it.
    ///
    /// - Parameters:
    ///   - command: the command as it was typed, without `--yes`.
    ///   - besideDaemons: whether it may work while daemons are alive.
    package func text(command: String, besideDaemons: Bool) -> String {
        let head =
            isDone
            ? "done: nothing that was due before \(at.rfc3339) is sent"
            : "nothing was changed: this is a dry run. Use this command only after a restore from a backup."
        let all = effects
        let width = all.map { $0.verb.count }.max() ?? 0
        var lines = [head, ""]
        for effect in all {
            let gap = String(repeating: " ", count: width + 2 - effect.verb.count)
            lines.append(effect.verb + gap + effect.what)
        }
        lines.append("")
        lines += isDone ? doneEnd : dryEnd(command, besideDaemons)
        return lines.joined(separator: "\n")
    }

    private var effects: [(verb: String, what: String)] {
        var all: [(verb: String, what: String)] = []
        func add(_ done: String, _ dry: String, _ what: String) { all.append((isDone ? done : dry, what)) }
        let fanOuts =
            reminders.fanOuts > 0 ? ", including \(Elapsed.counted(reminders.fanOuts, "fan-out", "fan-outs"))" : ""
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
        return all
    }

    private static func describe(_ rows: DroppedRows, _ one: String, _ many: String, _ what: String) -> String {
        let count = Elapsed.counted(rows.count, one, many)
        guard rows.count > 0, let oldest = rows.oldest, let newest = rows.newest else { return count }
        let time = oldest == newest ? "at \(oldest.rfc3339)" : "from \(oldest.rfc3339) to \(newest.rfc3339)"
        return "\(count) of \(Elapsed.counted(rows.users, "user", "users")), \(what) \(time)"
    }

    private var living: [String] {
        guard !daemons.isEmpty else { return ["No daemon is alive."] }
        let count = Elapsed.counted(daemons.count, "daemon is", "daemons are")
        return ["\(count) alive:"] + daemons.map { "  " + $0.text }
    }

    private var doneEnd: [String] {
        daemons.isEmpty
            ? ["No daemon is alive. To start it on each host: systemctl start nudged"]
            : living + ["What daemons sent between the restore and this command may be sent a second time."]
    }

    private func dryEnd(_ command: String, _ besideDaemons: Bool) -> [String] {
        let flag = besideDaemons ? " --while-daemons-run" : ""
        let remedy = daemons.isEmpty || besideDaemons ? [] : [DaemonsAlive.remedy]
        let then = remedy.isEmpty ? "To do it:" : "Then run:"
        return living + remedy + ["", then, "    \(command) --yes\(flag)"]
    }

    // MARK: For a program

    /// `{"done", "at", "users", "unknown", "messages": {"count", "users", "oldest", "newest"}, "reminders": {the same,
    /// "fan_outs", "perhaps"}, "daemons": [{"daemon_id", "host", "pid", "lease_ms"}]}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("done")
        json.bool(isDone)
        json.key("at")
        json.string(at.rfc3339)
        json.key("users")
        json.int(users)
        json.key("unknown")
        json.int(unknown)
        json.key("messages")
        Self.write(messages, to: &json)
        json.key("reminders")
        Self.write(reminders, to: &json) {
            $0.key("fan_outs")
            $0.int(reminders.fanOuts)
            $0.key("perhaps")
            $0.int(reminders.perhaps)
        }
        json.key("daemons")
        json.beginArray()
        for daemon in daemons { Self.write(daemon, to: &json) }
        json.endArray()
        json.endObject()
        return json.string
    }

    private static func write(
        _ rows: DroppedRows,
        to json: inout JSONWriter,
        adding: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.beginObject()
        json.key("count")
        json.int(rows.count)
        json.key("users")
        json.int(rows.users)
        json.key("oldest")
        json.string(rows.oldest?.rfc3339)
        json.key("newest")
        json.string(rows.newest?.rfc3339)
        adding(&json)
        json.endObject()
    }

    private static func write(_ daemon: LivingDaemon, to json: inout JSONWriter) {
        json.beginObject()
        json.key("daemon_id")
        json.string(daemon.id.uuidString.lowercased())
        json.key("host")
        json.string(daemon.host)
        json.key("pid")
        if let pid = daemon.pid { json.int(pid) } else { json.null() }
        json.key("lease_ms")
        json.int(daemon.leaseMilliseconds)
        json.endObject()
    }
}
