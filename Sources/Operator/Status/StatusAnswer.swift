import Core
import Policy
import Service
import Systemd
import TimeZones

struct StatusAnswer: Sendable, Equatable {
    enum State: String, Sendable {
        case works
        /// Users wait, and are being served.
        case behind
        case paused
        case doesNotWork = "does_not_work"
    }

    let state: State
    let sentence: String
    var fix: String?
    var status = ExitStatus.success
}

extension StatusPage {
    /// The worst state first: no daemon, a failure, a stopped lane, nobody served, a pause, a backlog.
    var answer: StatusAnswer {
        let misbound = work.bindingFaults.first.map { fault($0.text, fix: $0.remedy, .configuration) }
        return noDaemon ?? failing ?? misbound ?? stoppedLane ?? stalled ?? whenPaused ?? behind ?? works
    }

    /// - Parameter lead: such as ` on web-1 since 09:12 UTC (6 min)`.
    private func fault(_ what: String, fix: String?, _ status: ExitStatus, _ lead: String = "") -> StatusAnswer {
        StatusAnswer(state: .doesNotWork, sentence: "Does not work\(lead): \(what).", fix: fix, status: status)
    }

    private func lead(since instant: Instant?) -> String { instant.map { " " + since($0) } ?? "" }

    private var noDaemon: StatusAnswer? {
        guard alive.isEmpty else { return nil }
        let lead = lead(since: daemons.map(\.seenAt).max())
        return fault("no daemon is alive, so nothing is sent", fix: "systemctl start nudged", .unavailable, lead)
    }

    private var failing: StatusAnswer? {
        let failing = alive.compactMap { daemon in
            daemon.report?.failure.flatMap { $0.until == nil ? (host: daemon.host, failure: $0) : nil }
        }
        let first = failing.min { ($0.failure.since ?? work.now) < ($1.failure.since ?? work.now) }
        guard let (host, failure) = first else { return nil }
        let fix = failure.fix ?? "journalctl -u nudged shows each failure; nudged doctor checks the database"
        let place = failing.count < alive.count ? " on \(host)" : ""
        return fault(failure.text, fix: fix, .failure, place + lead(since: failure.since))
    }

    private var stoppedLane: StatusAnswer? {
        let lanes = alive.flatMap(\.lanes).filter { $0.state == LaneReport.stopped }
        guard let lane = lanes.min(by: { ($0.since ?? work.now) < ($1.since ?? work.now) }) else { return nil }
        let what = "lane \(lane.name) is stopped\(lane.cause.map { ": \($0)" } ?? "")"
        return fault(what, fix: lane.remedy, .temporary, lead(since: lane.since))
    }

    /// Users wait, or sweeps run, but nobody is served and no sweep is good.
    private var stalled: StatusAnswer? {
        let lane = alive.flatMap(\.lanes).first { ![LaneReport.open, LaneReport.idle].contains($0.state) }
        let cause = lane?.cause.map { ", \($0)" } ?? ""
        let reason = lane.map { ": lane \($0.name) is \($0.stateText)\(cause)" } ?? ""
        let fix = "nudged doctor finds the cause"
        // After so many seconds without a good sweep, that counts as a fault.
        let patience = usualDelay + 60
        if let since = alive.compactMap({ $0.stalledSince(patience: patience) }).min() {
            return fault("no sweep was good\(reason)", fix: fix, .failure, lead(since: since))
        }
        guard work.dueUsers > 0, late > patience, perMinute == 0 else { return nil }
        return fault("\(backlog), and none was served in the last 10 s\(reason)", fix: fix, .failure)
    }

    private var whenPaused: StatusAnswer? {
        let pauses = work.pauses.filter { $0.resumedAt == nil }
        guard let first = pauses.min(by: { $0.since < $1.since }) else { return nil }
        let kinds = pauses.map { KindText.plural($0.kind.rawValue) }.joined(separator: ", ")
        let why = first.reason.map { " (\"\($0)\")" } ?? ""
        let users = waiting.map { "; " + Self.waiting($0, pauses) } ?? ""
        let who = "\(since(first.since)) by \(first.byWhom)"
        return StatusAnswer(state: .paused, sentence: "Paused: \(kinds) \(who)\(why)\(users).")
    }

    /// `230 users wait for it`, or how many wait for each kind.
    private static func waiting(_ counts: [NudgeKind: Int], _ pauses: [Pause]) -> String {
        if pauses.count == 1, let count = pauses.first.flatMap({ counts[$0.kind] }) {
            let some = count == 1 ? "1 user waits" : "\(Elapsed.capped(count, WorkStatus.most)) users wait"
            return count == 0 ? "nobody waits for it" : "\(some) for it"
        }
        let each = pauses.map { pause in
            "\(Elapsed.capped(counts[pause.kind] ?? 0, WorkStatus.most)) for \(KindText.plural(pause.kind.rawValue))"
        }
        return "users who wait: \(each.joined(separator: ", "))"
    }

    private var behind: StatusAnswer? {
        guard work.dueUsers > 0, late > usualDelay else { return nil }
        return StatusAnswer(state: .behind, sentence: "Behind: \(backlog); \(pace).")
    }

    private var works: StatusAnswer {
        let daemons = Elapsed.counted(alive.count, "daemon", "daemons")
        let sweep = alive.compactMap { $0.report?.lastGood }.min()
            .map { "last good sweep \(Elapsed.text(work.now - $0)) ago" }
        let users = work.dueUsers == 0 ? "nobody waits" : Elapsed.counted(work.dueUsers, "user is due", "users are due")
        return StatusAnswer(state: .works, sentence: "Works: \(daemons), \(sweep ?? "no sweep yet"), \(users).")
    }

    /// `since 09:12 UTC (6 min)`. With the date if it is more than a day ago.
    func since(_ instant: Instant) -> String {
        let text = instant.rfc3339
        let day = work.now - instant < 86_400 ? "" : "\(text.prefix(10)) "
        return "since \(day)\(text.dropFirst(11).prefix(5)) UTC (\(Elapsed.text(work.now - instant)))"
    }

    var late: Int64 { work.dueUsers > 0 ? work.firstDue.map { work.now - $0 } ?? 0 : 0 }
    var perMinute: Int { alive.reduce(0) { $0 + ($1.report?.usersPerMinute ?? 0) } }

    /// Seconds that users wait at most where all is well: two sweeps, and a daemon's row is ten seconds old.
    private var usualDelay: Int64 { 10 + 2 * (alive.compactMap(\.report?.intervalMilliseconds).max() ?? 0) / 1000 }

    /// Seconds until nobody waits, if nobody else becomes due. Nil: nobody is served now.
    var secondsLeft: Int64? {
        let (users, pace) = (Int64(work.dueUsers), Int64(perMinute))
        return users > 0 && pace > 0 ? (users * 60 + pace - 1) / pace : nil
    }

    /// `12,400 users wait, the oldest for 4 min`.
    private var backlog: String {
        let users = work.dueUsers
        let who = users == 1 ? "1 user waits" : "\(Elapsed.capped(users, WorkStatus.mostDue)) users wait"
        return "\(who), \(users == 1 ? "" : "the oldest ")for \(Elapsed.text(late))"
    }

    /// `310 users/s, about 40 s left`.
    var pace: String {
        guard let left = secondsLeft else { return "none was served in the last 10 s" }
        let rate = perMinute < 60 ? "\(perMinute) users/min" : "\(Elapsed.grouped(perMinute / 60)) users/s"
        return "\(rate), \(work.dueUsers >= WorkStatus.mostDue ? "at least" : "about") \(Elapsed.text(left)) left"
    }
}

extension DaemonRow {
    var report: DaemonState? { DaemonState(json: state) }
    var lanes: [LaneReport] { report?.lanes ?? [] }

    /// When the last good sweep ended, if that is too long ago. A sweep over many users takes minutes, but serves them.
    func stalledSince(patience: Int64) -> Instant? {
        guard let report, report.usersPerMinute == 0, report.lastSweep != nil else { return nil }
        let since = report.lastGood ?? startedAt
        return seenAt - since > patience ? since : nil
    }

    /// The ranges in short, as nudged.range numbers them: `-32..-1, 4 (33 of 64)`.
    var rangesText: String {
        var spans: [(first: Int16, last: Int16)] = []
        for range in ranges {
            if let last = spans.last?.last, range == last + 1 {
                spans[spans.count - 1].last = range
            } else {
                spans.append((range, range))
            }
        }
        let text = spans.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)..\($0.last)" }
        return text.isEmpty ? "none" : "\(text.joined(separator: ", ")) (\(ranges.count) of 64)"
    }
}
