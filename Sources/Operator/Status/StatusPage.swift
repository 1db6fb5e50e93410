import Delivery
import Planning
import Service
import APNs
import JSON
import Policy
import Store
package import Systemd
import TimeZones

/// The output of `nudged status`, and its exit status.
package struct StatusPage: Sendable {
    private let work: WorkStanding
    /// Users who wait for each paused kind. Nil: not counted.
    private let waiting: [NudgeKind: Int]?
    /// Daemons that are alive are first.
    private let daemons: [ListedDaemon]
    /// Whether it works.
    package let answer: StatusAnswer

    init(_ work: WorkStanding, waiting: [NudgeKind: Int]? = nil) {
        self.work = work
        self.waiting = waiting
        let all = work.daemons.map { ListedDaemon($0) }
        daemons = all.filter(\.isAlive) + all.filter { !$0.isAlive }
        answer = StatusAnswer(work, daemons, waiting: waiting)
    }

    package var status: ExitStatus { answer.status }

    /// The daemons that are alive.
    var alive: [DaemonRow] { daemons.filter(\.isAlive).map(\.row) }

    private var backlog: Backlog { Backlog(work, daemons.filter(\.isAlive)) }

    // MARK: For a person

    /// The answer, what to do, and then the details. Lines without a newline at the end. A line is longer than `width`
    /// only if a single word is.
    package func words(width: Int) -> String {
        var page = TextPage(width: width)
        page.line(answer.sentence)
        if let fix = answer.fix { page.wrapped("Fix: \(fix)", indent: 5) }
        page.line("")
        for (label, value) in details { page.columns("", [(label, Self.label)], value) }
        for daemon in daemons { describe(daemon, &page) }
        return page.text
    }

    /// The width of the column of labels.
    private static let label = 14

    private var details: [(String, String)] {
        let most = WorkStanding.most
        var lines = [
            ("users due", due),
            ("changes", "\(work.touches == 0 ? "none" : Elapsed.capped(work.touches, most)) waiting for a sweep"),
            ("being sent", open), ("unknown", "\(Elapsed.capped(work.unknownPushes, most)) in the last 24 h"),
        ]
        if work.freeRanges > 0, answer.status != .unavailable {
            lines.append(("no owner", "\(work.freeRanges) of 64 ranges: their users wait"))
        }
        if let spreads = work.spreads { lines.append(("for everyone", describe(spreads))) }
        // The answer has a single pause.
        if answer.state != .paused || work.pauses.count > 1 { lines += work.pauses.map(paused) }
        return lines
    }

    private var due: String {
        guard work.dueUsers > 0 else { return "none" }
        let count = Elapsed.capped(work.dueUsers, WorkStanding.mostDue)
        return "\(count), the first for \(Elapsed.words(backlog.late)); \(backlog.pace)"
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

    private func paused(_ pause: Pause) -> (String, String) {
        let kind = KindWords.plural(pause.kind.rawValue)
        if let resumed = pause.resumedAt {
            return (
                "resumed",
                "\(kind) \(Elapsed.words(work.now - resumed)) ago; not all users who were held are due yet: "
                    + "nudged resume still runs, or was interrupted"
            )
        }
        let why = pause.words.map { ": \($0)" } ?? ""
        return ("paused", "\(kind) for \(Elapsed.words(work.now - pause.since)), by \(pause.byWhom)\(why)")
    }

    private func describe(_ daemon: ListedDaemon, _ page: inout TextPage) {
        func field(_ label: String, _ value: String) { page.columns("  ", [(label, Self.label)], value) }
        let (row, name) = (daemon.row, "\(daemon.row.host), process \(daemon.row.pid)")
        let unseen = Elapsed.words(row.unseenMilliseconds / 1000)
        page.line("")
        guard daemon.isAlive else { return page.line("daemon on \(name): not seen for \(unseen)") }
        page.wrapped(
            "daemon on \(name): alive for \(Elapsed.words(work.now - row.startedAt)), seen \(unseen) ago, "
                + "version \(row.version)",
            indent: 2
        )
        guard let state = daemon.state else {
            return page.line("  its state can't be read: perhaps another version wrote it")
        }
        field("last sweep", lastSweep(state, seenAt: row.seenAt))
        if state.lastWork != state.lastSweep, let work = state.lastWork { field("last work", dated(work)) }
        if let failure = state.failure { field("last error", describe(failure)) }
        if let decision = state.decision { field("decisions", describe(decision)) }
        field("ranges", daemon.ranges)
        if state.inFlight > 0 { field("in flight", Elapsed.grouped(state.inFlight)) }
        if state.lostLines > 0 { field("log lines", "\(Elapsed.grouped(state.lostLines)) lost since it started") }
        for lane in state.lanes { describe(lane, &page) }
    }

    private func describe(_ failure: SweepFailure) -> String {
        if let until = failure.until {
            let lasted = failure.since.map { " after \(Elapsed.words(until - $0))" } ?? ""
            return "it ended \(Elapsed.words(work.now - until)) ago\(lasted): \(failure.words)"
        }
        return (failure.since.map { "\(StatusAnswer.since($0, work.now)): " } ?? "") + failure.words
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

    private func describe(_ lane: LaneReport, _ page: inout TextPage) {
        let since = lane.since.map { " for \(Elapsed.words(work.now - $0))" } ?? ""
        let cause = lane.cause.map { ": \($0)" } ?? ""
        page.wrapped("  lane \(lane.name): \(lane.state.words)\(since)\(cause)", indent: 4)
        if let mend = lane.mend { page.wrapped("    fix: \(mend)", indent: 9) }
        if let probe = lane.nextProbe {
            let wait = probe - work.now
            page.line("    next try \(wait > 0 ? "in \(Elapsed.words(wait))" : "now")")
        }
    }

    // MARK: For a program

    /// The same as one JSON object.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.put("answer", answer.state.rawValue)
        json.put("sentence", answer.sentence)
        json.put("fix", answer.fix)
        json.put("schema", "current")
        json.key("now")
        json.string(work.now.rfc3339)
        for (name, count) in [
            ("due_users", work.dueUsers), ("touches", work.touches), ("open_chunks", work.openIntents),
            ("open_pushes", work.openPushes), ("unknown_24h", work.unknownPushes), ("counted_up_to", WorkStanding.most),
            ("due_counted_up_to", WorkStanding.mostDue), ("users_per_minute", backlog.perMinute),
            ("free_ranges", work.freeRanges),
        ] {
            json.key(name)
            json.int(count)
        }
        json.key("first_due")
        json.string(work.firstDue?.rfc3339)
        json.key("seconds_left")
        if let left = backlog.secondsLeft { json.int(left) } else { json.null() }
        json.key("spreads")
        if let spreads = work.spreads { write(spreads, to: &json) } else { json.null() }
        json.key("paused")
        json.beginArray()
        for pause in work.pauses {
            pause.write(to: &json) {
                $0.key("waiting_users")
                if let count = waiting?[pause.kind] { $0.int(count) } else { $0.null() }
            }
        }
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

    private func write(_ daemon: ListedDaemon, to json: inout JSONWriter) {
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
        json.list("ranges", row.ranges) { $1.int($0) }
        json.key("state")
        // As the daemon wrote it: a newer version may have more members.
        json.value((try? JSONValue(parsing: row.state)) ?? .null)
        json.endObject()
    }
}

extension LaneReport {
    /// `production com.example.app`.
    var name: String { "\(lane.environment) \(lane.topic)" }

    /// Why it does not send, as text.
    var cause: String? {
        reason.map { state == .stopped ? LaneStatus.cause($0) : $0 } ?? state.explanation
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
