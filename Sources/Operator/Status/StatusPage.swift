import Delivery
import Planning
import Service
import APNs
import JSON
import Store
package import Systemd
import TimeZones

/// The output of `nudged status`, and its exit status.
package struct StatusPage: Sendable {
    private struct Listed: Sendable {
        let row: DaemonRow
        /// Nil if the state can't be read.
        let state: DaemonState?
        /// A row from far in the future is not alive: the database's clock was set back, or the database was restored.
        var isAlive: Bool { abs(row.unseenMilliseconds) < HeartbeatSchedule.aliveMilliseconds }
    }

    private let work: WorkStanding
    /// Daemons that are alive are first.
    private let daemons: [Listed]

    init(_ work: WorkStanding) {
        self.work = work
        let all = work.daemons.map { Listed(row: $0, state: DaemonState(json: $0.state)) }
        daemons = all.filter(\.isAlive) + all.filter { !$0.isAlive }
    }

    /// `success` if a daemon is alive and no lane is stopped. `unavailable` if no daemon is alive, `temporary` if a
    /// lane is stopped.
    package var status: ExitStatus {
        let alive = daemons.filter(\.isAlive)
        if alive.isEmpty { return .unavailable }
        let isStopped = alive.contains { $0.state?.lanes.contains { $0.state == .stopped } == true }
        return isStopped ? .temporary : .success
    }

    /// The daemons that are alive.
    var alive: [DaemonRow] { daemons.filter(\.isAlive).map(\.row) }

    // MARK: For a person

    /// Lines without a newline at the end.
    package var words: String {
        let most = WorkStanding.most
        var lines = ["schema        current", "users due     \(due)"]
        lines.append(
            "changes       \(work.touches == 0 ? "none" : Elapsed.capped(work.touches, most)) waiting for a sweep"
        )
        lines.append("being sent    \(open)")
        lines.append("unknown       \(Elapsed.capped(work.unknownPushes, most)) in the last 24 h")
        if let spreads = work.spreads { lines.append("for everyone  \(describe(spreads))") }
        lines += work.pauses.map(paused)
        for daemon in daemons { lines += [""] + describe(daemon) }
        if !daemons.contains(where: \.isAlive) {
            lines += ["", "no daemon is alive: nothing is sent until one is started (systemctl start nudged)"]
        }
        return lines.joined(separator: "\n")
    }

    private var due: String {
        guard let first = work.firstDue, work.dueUsers > 0 else { return "none" }
        return "\(Elapsed.capped(work.dueUsers, WorkStanding.most)), the first for \(Elapsed.words(work.now - first))"
    }

    private var open: String {
        work.openPushes == 0 ? "nothing" : Elapsed.counted(work.openPushes, "push", "pushes")
    }

    private func describe(_ spreads: WaitingSpreads) -> String {
        let count =
            spreads.count == 1 ? "1 reminder is" : "\(Elapsed.capped(spreads.count, WorkStanding.most)) reminders are"
        return "\(count) not fanned out to all yet, the first for \(Elapsed.words(work.now - spreads.first)): "
            + "\(spreads.subjectType.printable) \(spreads.subjectID.printable) "
            + "(if the journal has spread_failed, nudged.subject_member can't be read)"
    }

    private func paused(_ pause: Pause) -> String {
        if let resumed = pause.resumedAt {
            return
                "resumed       \(pause.kind.rawValue) \(Elapsed.words(work.now - resumed)) ago; "
                + "not all users who were held are due yet: nudged resume still runs, or was interrupted"
        }
        let why = pause.words.map { ": \($0)" } ?? ""
        return
            "paused        \(pause.kind.rawValue) for \(Elapsed.words(work.now - pause.since)), "
            + "by \(pause.byWhom)\(why)"
    }

    private func describe(_ daemon: Listed) -> [String] {
        let (row, name) = (daemon.row, "\(daemon.row.host), process \(daemon.row.pid)")
        let unseen = Elapsed.words(row.unseenMilliseconds / 1000)
        guard daemon.isAlive else { return ["daemon on \(name): not seen for \(unseen)"] }
        var lines = [
            "daemon on \(name): alive for \(Elapsed.words(work.now - row.startedAt)), seen \(unseen) ago, "
                + "version \(row.version)"
        ]
        guard let state = daemon.state else {
            return lines + ["  its state can't be read: perhaps another version wrote it"]
        }
        lines.append("  last sweep    \(lastSweep(state, seenAt: row.seenAt))")
        if state.lastWork != state.lastSweep, let work = state.lastWork {
            lines.append("  last work     \(dated(work))")
        }
        if let decision = state.decision { lines.append("  decisions     \(describe(decision))") }
        lines.append("  ranges        \(row.ranges) of 64")
        if state.inFlight > 0 { lines.append("  in flight     \(Elapsed.grouped(state.inFlight))") }
        if state.lostLines > 0 {
            lines.append("  log lines     \(Elapsed.grouped(state.lostLines)) lost since it started")
        }
        return lines + state.lanes.flatMap(describe)
    }

    /// Shows the sweep's age only if the next sweep was already late when the daemon wrote its row. The row itself can
    /// be ten seconds old.
    private func lastSweep(_ state: DaemonState, seenAt: Instant) -> String {
        guard let sweep = state.lastSweep else { return "none yet" }
        let usual = 2 * state.intervalMilliseconds / 1000 + 2
        let isLate = sweep.at.map { seenAt - $0 > usual } ?? false
        return isLate ? dated(sweep) : sweep.words
    }

    private func describe(_ decision: DecisionStanding) -> String {
        let since = decision.since.map { " for \(Elapsed.words(work.now - $0))" } ?? ""
        return decision.state.rawValue + since + (decision.reason.map { ": \($0)" } ?? "")
    }

    private func dated(_ sweep: SweepSummary) -> String {
        (sweep.at.map { "\(Elapsed.words(work.now - $0)) ago: " } ?? "") + sweep.words
    }

    private func describe(_ lane: LaneReport) -> [String] {
        let since = lane.since.map { " for \(Elapsed.words(work.now - $0))" } ?? ""
        let reason = lane.reason.map { lane.state == .stopped ? LaneStatus.cause($0) : $0 } ?? lane.state.explanation
        let head = "  lane \(lane.lane.environment) \(lane.lane.topic): \(lane.state.words)\(since)"
        var lines = [head + (reason.map { ": \($0)" } ?? "")]
        if let mend = lane.mend { lines.append("    fix: \(mend)") }
        if let probe = lane.nextProbe {
            let wait = probe - work.now
            lines.append("    next try \(wait > 0 ? "in \(Elapsed.words(wait))" : "now")")
        }
        return lines
    }

    // MARK: For a program

    /// The same as one JSON object.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("schema")
        json.string("current")
        json.key("now")
        json.string(work.now.rfc3339)
        for (name, count) in [
            ("due_users", work.dueUsers), ("touches", work.touches), ("open_chunks", work.openIntents),
            ("open_pushes", work.openPushes), ("unknown_24h", work.unknownPushes), ("counted_up_to", WorkStanding.most),
        ] {
            json.key(name)
            json.int(count)
        }
        json.key("first_due")
        json.string(work.firstDue?.rfc3339)
        json.key("spreads")
        if let spreads = work.spreads { write(spreads, to: &json) } else { json.null() }
        json.key("paused")
        json.beginArray()
        for pause in work.pauses { pause.write(to: &json) }
        json.endArray()
        json.key("daemons")
        json.beginArray()
        for daemon in daemons { write(daemon, to: &json) }
        json.endArray()
        json.key("exit")
        json.int(status.rawValue)
        json.endObject()
        return json.string
    }

    private func write(_ spreads: WaitingSpreads, to json: inout JSONWriter) {
        json.beginObject()
        json.key("count")
        json.int(spreads.count)
        for (name, text) in [
            ("first", spreads.first.rfc3339), ("reminder_id", spreads.reminderID.uuidString.lowercased()),
            ("subject_type", spreads.subjectType), ("subject_id", spreads.subjectID),
        ] {
            json.key(name)
            json.string(text)
        }
        json.endObject()
    }

    private func write(_ daemon: Listed, to json: inout JSONWriter) {
        let row = daemon.row
        json.beginObject()
        for (name, text) in [
            ("daemon_id", row.id.uuidString.lowercased()), ("host", row.host), ("version", row.version),
            ("started_at", row.startedAt.rfc3339), ("seen_at", row.seenAt.rfc3339),
        ] {
            json.key(name)
            json.string(text)
        }
        json.key("pid")
        json.int(row.pid)
        json.key("unseen_ms")
        json.int(row.unseenMilliseconds)
        json.key("alive")
        json.bool(daemon.isAlive)
        json.key("ranges")
        json.int(row.ranges)
        json.key("state")
        // As the daemon wrote it: a newer version may have more members.
        json.value((try? JSONValue(parsing: row.state)) ?? .null)
        json.endObject()
    }
}

extension LaneReport.State {
    /// The state for an operator. In the output, a span of time follows it.
    var words: String {
        switch self {
        case .open: "connected"
        case .backingOff: "waiting"
        case .draining: "stopping"
        default: rawValue
        }
    }

    /// The explanation if the lane gives no reason.
    var explanation: String? {
        switch self {
        case .idle: "no connection is needed"
        case .draining: "it waits for the last answers"
        default: nil
        }
    }
}
