import Base
import APNs
package import Configuration
import Core
import JSON
import Policy
import Service
package import Systemd
import TimeZones

package struct StatusPage: CommandOutput {
    let work: WorkStatus
    /// Users who wait for each paused kind. Nil: not counted.
    let waiting: [NudgeKind: Int]?
    let daemons: [DaemonRow]

    init(_ work: WorkStatus, waiting: [NudgeKind: Int]? = nil) {
        (self.work, self.waiting) = (work, waiting)
        daemons = work.daemons.filter(\.isAlive) + work.daemons.filter { !$0.isAlive }
    }

    package static func read(_ configuration: Configuration) async throws -> StatusPage {
        try await DatabaseAccess(configuration).withStore { store in
            let work = try await store.workStatus()
            let paused = work.pauses.filter { $0.resumedAt == nil }.map(\.kind)
            return StatusPage(work, waiting: try await paused.isEmpty ? nil : store.pausedUsers(paused))
        }
    }

    package var status: ExitStatus { answer.status }
    var alive: [DaemonRow] { daemons.filter(\.isAlive) }

    package func text(on screen: Screen) -> String {
        var page = TextPage(width: screen.width)
        page.line(answer.sentence)
        if let fix = answer.fix { page.wrapped("Fix: \(fix)", indent: 5) }
        page.line("")
        for (label, value) in details { page.columns("", [(label, Self.label)], value) }
        for daemon in daemons { describe(daemon, &page) }
        return page.text
    }

    package func painted(_ text: String, _ colour: Colour) -> String {
        let word = String(text.prefix { $0 != " " && $0 != ":" })
        let paint = status != .success ? colour.bad : word == "Works" ? colour.good : colour.warning
        return paint(word) + text.dropFirst(word.count)
    }

    private static let label = 14

    private var details: [(String, String)] {
        let most = WorkStatus.most
        var lines = [
            ("users due", due),
            ("changes", "\(work.touches == 0 ? "none" : Elapsed.capped(work.touches, most)) waiting for a sweep"),
            ("being sent", work.openPushes == 0 ? "nothing" : Elapsed.counted(work.openPushes, "push", "pushes")),
            ("unknown", "\(Elapsed.capped(work.unknownPushes, most)) in the last 24 h"),
        ]
        if work.freeRanges > 0, answer.status != .unavailable {
            lines.append(("no owner", "\(work.freeRanges) of 64 ranges: their users wait"))
        }
        if let fanOuts = work.fanOuts { lines.append(("for everyone", describe(fanOuts))) }
        // The answer has a single pause.
        if answer.state != .paused || work.pauses.count > 1 { lines += work.pauses.map(paused) }
        return lines
    }

    private var due: String {
        guard work.dueUsers > 0 else { return "none" }
        return "\(Elapsed.capped(work.dueUsers, WorkStatus.mostDue)), the first for \(Elapsed.text(late)); \(pace)"
    }

    private func describe(_ fanOuts: WaitingFanOuts) -> String {
        let several = "\(Elapsed.capped(fanOuts.count, WorkStatus.most)) reminders are"
        let age = Elapsed.text(work.now - fanOuts.first)
        let subject = "\(fanOuts.subjectType.printable) \(fanOuts.subjectID.printable)"
        return "\(fanOuts.count == 1 ? "1 reminder is" : several) not fanned out to all yet, the first for \(age): "
            + "\(subject) (if the journal has fan_out_failed, nudged.subject_member can't be read)"
    }

    private func paused(_ pause: Pause) -> (String, String) {
        let kind = KindText.plural(pause.kind.rawValue)
        if let resumed = pause.resumedAt {
            let why = "not all users who were held are due yet: nudged resume still runs, or was interrupted"
            return ("resumed", "\(kind) \(Elapsed.text(work.now - resumed)) ago; \(why)")
        }
        let why = pause.reason.map { ": \($0)" } ?? ""
        return ("paused", "\(kind) for \(Elapsed.text(work.now - pause.since)), by \(pause.byWhom)\(why)")
    }

    private func describe(_ row: DaemonRow, _ page: inout TextPage) {
        func field(_ label: String, _ value: String) { page.columns("  ", [(label, Self.label)], value) }
        let name = "\(row.host), process \(row.pid)"
        let unseen = Elapsed.text(row.unseenMilliseconds / 1000)
        page.line("")
        guard row.isAlive else { return page.line("daemon on \(name): not seen for \(unseen)") }
        let age = Elapsed.text(work.now - row.startedAt)
        page.wrapped("daemon on \(name): alive for \(age), seen \(unseen) ago, version \(row.version)", indent: 2)
        guard let state = row.report else {
            return page.line("  its state can't be read: perhaps another version wrote it")
        }
        field("last sweep", lastSweep(state, seenAt: row.seenAt))
        if state.lastWork != state.lastSweep, let work = state.lastWork { field("last work", dated(work)) }
        if let failure = state.failure { field("last error", describe(failure)) }
        if let decision = state.decision { field("decisions", describe(decision)) }
        field("ranges", row.rangesText)
        if state.inFlight > 0 { field("in flight", Elapsed.grouped(state.inFlight)) }
        if state.lostLines > 0 { field("log lines", "\(Elapsed.grouped(state.lostLines)) lost since it started") }
        for lane in state.lanes { describe(lane, &page) }
    }

    private func describe(_ failure: SweepFailure) -> String {
        if let until = failure.until {
            let lasted = failure.since.map { " after \(Elapsed.text(until - $0))" } ?? ""
            return "it ended \(Elapsed.text(work.now - until)) ago\(lasted): \(failure.text)"
        }
        return (failure.since.map { "\(since($0)): " } ?? "") + failure.text
    }

    /// Shows the sweep's age only if the next one was already late when the daemon wrote its row, up to 10 s ago.
    private func lastSweep(_ state: DaemonState, seenAt: Instant) -> String {
        guard let sweep = state.lastSweep else { return "none yet" }
        let isLate = sweep.at.map { seenAt - $0 > 2 * state.intervalMilliseconds / 1000 + 2 } ?? false
        return isLate ? dated(sweep) : sweep.text
    }

    private func describe(_ decision: DecisionStatus) -> String {
        let since = decision.since.map { " for \(Elapsed.text(work.now - $0))" } ?? ""
        return decision.state + since + (decision.reason.map { ": \($0)" } ?? "")
    }

    private func dated(_ sweep: SweepSummary) -> String {
        (sweep.at.map { "\(Elapsed.text(work.now - $0)) ago: " } ?? "") + sweep.text
    }

    private func describe(_ lane: LaneReport, _ page: inout TextPage) {
        let since = lane.since.map { " for \(Elapsed.text(work.now - $0))" } ?? ""
        let cause = lane.cause.map { ": \($0)" } ?? ""
        page.wrapped("  lane \(lane.name): \(lane.stateText)\(since)\(cause)", indent: 4)
        if let server = lane.otherServer { page.wrapped("    server \(server), which is not Apple's", indent: 6) }
        if let remedy = lane.remedy { page.wrapped("    fix: \(remedy)", indent: 9) }
        if let probe = lane.nextProbe {
            let wait = probe - work.now
            page.line("    next try \(wait > 0 ? "in \(Elapsed.text(wait))" : "now")")
        }
    }

    package var json: String {
        let paused = work.pauses.map { $0.fields + ["waiting_users": waiting?[$0.kind]] }
        return Fields.text([
            "answer": answer.state.rawValue, "sentence": answer.sentence, "remedy": answer.fix, "schema": "current",
            "now": work.now, "due_users": work.dueUsers, "touches": work.touches, "open_chunks": work.openIntents,
            "open_pushes": work.openPushes, "unknown_24h": work.unknownPushes, "counted_up_to": WorkStatus.most,
            "due_counted_up_to": WorkStatus.mostDue, "users_per_minute": perMinute,
            "free_ranges": work.freeRanges, "first_due": work.firstDue, "seconds_left": secondsLeft,
            "fan_outs": work.fanOuts.map(Self.fields), "paused": paused,
            "daemons": daemons.map(Self.fields), "exit": status.rawValue,
        ])
    }

    private static func fields(_ fanOuts: WaitingFanOuts) -> Fields {
        [
            "count": fanOuts.count, "first": fanOuts.first, "reminder_id": fanOuts.reminderID,
            "subject_type": fanOuts.subjectType, "subject_id": fanOuts.subjectID,
        ]
    }

    private static func fields(_ row: DaemonRow) -> Fields {
        [
            "daemon_id": row.id, "host": row.host, "version": row.version, "started_at": row.startedAt,
            "seen_at": row.seenAt, "pid": row.pid, "unseen_ms": row.unseenMilliseconds, "alive": row.isAlive,
            // The state as the daemon wrote it: a newer version may have more members.
            "ranges": row.ranges, "state": try? JSONValue(parsing: row.state),
        ]
    }
}

extension LaneReport {
    var name: String { "\(lane.environment) \(lane.topic)" }
    var cause: String? { reason.map { state == Self.stopped ? LaneStatus.cause($0) : $0 } ?? note }
    /// The state for an operator. In the output, a span of time follows it.
    var stateText: String { ["open": "connected", "backing_off": "waiting", "draining": "stopping"][state] ?? state }
    var note: String? { ["idle": "no connection is needed", "draining": "it waits for the last answers"][state] }
}
