import Service
import Policy
import Core
package import Systemd
import TimeZones

/// Whether nudged works: one sentence, what to do, and an exit status.
package struct StatusAnswer: Sendable, Equatable {
    enum State: String, Sendable {
        case works
        /// Users wait, and are being served.
        case behind
        case paused
        case doesNotWork = "does_not_work"
    }

    let state: State
    package let sentence: String
    /// What an operator can do about it. Nil if nothing is wrong.
    package let fix: String?
    package let status: ExitStatus

    private init(_ state: State, _ sentence: String, fix: String? = nil, _ status: ExitStatus = .success) {
        self.state = state
        self.sentence = sentence
        self.fix = fix
        self.status = status
    }

    /// The worst state first: no daemon, a failure, a stopped lane, nobody served, a pause, a backlog.
    ///
    /// - Parameter waiting: users who wait for each paused kind. Nil: not counted.
    init(_ work: WorkStatus, _ daemons: [ListedDaemon], waiting: [NudgeKind: Int]?) {
        let alive = daemons.filter(\.isAlive)
        let fault =
            Self.noDaemon(work, daemons) ?? Self.failing(work, alive) ?? Self.misbound(work)
            ?? Self.stoppedLane(work, alive) ?? Self.stalled(work, alive)
        self = fault ?? Self.paused(work, waiting) ?? Self.behind(work, alive) ?? Self.works(work, alive)
    }

    // MARK: What does not work

    private static func noDaemon(_ work: WorkStatus, _ daemons: [ListedDaemon]) -> StatusAnswer? {
        guard !daemons.contains(where: \.isAlive) else { return nil }
        let since = daemons.map(\.row.seenAt).max().map { " " + Self.since($0, work.now) } ?? ""
        return StatusAnswer(
            .doesNotWork,
            "Does not work\(since): no daemon is alive, so nothing is sent.",
            fix: "systemctl start nudged",
            .unavailable
        )
    }

    /// The database refuses the sweeps of a daemon.
    private static func failing(_ work: WorkStatus, _ alive: [ListedDaemon]) -> StatusAnswer? {
        let failing: [(host: String, failure: SweepFailure)] = alive.compactMap { daemon in
            guard let failure = daemon.state?.failure, failure.until == nil else { return nil }
            return (daemon.row.host, failure)
        }
        guard
            let first = failing.min(by: { ($0.failure.since ?? work.now) < ($1.failure.since ?? work.now) })
        else { return nil }
        let place = failing.count < alive.count ? " on \(first.host)" : ""
        let since = first.failure.since.map { " " + Self.since($0, work.now) } ?? ""
        return StatusAnswer(
            .doesNotWork,
            "Does not work\(place)\(since): \(first.failure.text).",
            fix: first.failure.fix ?? "journalctl -u nudged shows each failure; nudged doctor checks the database",
            .failure
        )
    }

    private static func misbound(_ work: WorkStatus) -> StatusAnswer? {
        guard let fault = work.bindingFaults.first else { return nil }
        return StatusAnswer(.doesNotWork, "Does not work: \(fault.text).", fix: fault.remedy, .configuration)
    }

    private static func stoppedLane(_ work: WorkStatus, _ alive: [ListedDaemon]) -> StatusAnswer? {
        let lanes = alive.flatMap { $0.state?.lanes ?? [] }.filter { $0.state == .stopped }
        guard let lane = lanes.min(by: { ($0.since ?? work.now) < ($1.since ?? work.now) }) else { return nil }
        let since = lane.since.map { " " + Self.since($0, work.now) } ?? ""
        let cause = lane.cause.map { ": \($0)" } ?? ""
        return StatusAnswer(
            .doesNotWork,
            "Does not work\(since): lane \(lane.name) is stopped\(cause).",
            fix: lane.remedy,
            .temporary
        )
    }

    /// Users wait, or sweeps run, but nobody is served and no sweep is good.
    private static func stalled(_ work: WorkStatus, _ alive: [ListedDaemon]) -> StatusAnswer? {
        let backlog = Backlog(work, alive)
        let lane = alive.flatMap { $0.state?.lanes ?? [] }.first { $0.state != .open && $0.state != .idle }
        let cause = lane?.cause.map { ", \($0)" } ?? ""
        let reason = lane.map { ": lane \($0.name) is \($0.state.text)\(cause)" } ?? ""
        let fix = "nudged doctor finds the cause"
        if let since = alive.compactMap({ $0.stalledSince(patience: backlog.patience) }).min() {
            return StatusAnswer(
                .doesNotWork,
                "Does not work \(Self.since(since, work.now)): no sweep was good\(reason).",
                fix: fix,
                .failure
            )
        }
        guard backlog.users > 0, backlog.late > backlog.patience, backlog.perMinute == 0 else { return nil }
        return StatusAnswer(
            .doesNotWork,
            "Does not work: \(backlog.text), and none was served in the last 10 s\(reason).",
            fix: fix,
            .failure
        )
    }

    // MARK: What works

    private static func paused(_ work: WorkStatus, _ waiting: [NudgeKind: Int]?) -> StatusAnswer? {
        let pauses = work.pauses.filter { $0.resumedAt == nil }
        guard let first = pauses.min(by: { $0.since < $1.since }) else { return nil }
        let kinds = pauses.map { KindText.plural($0.kind.rawValue) }.joined(separator: ", ")
        let why = first.reason.map { " (\"\($0)\")" } ?? ""
        let users = waiting.map { "; " + Self.waiting($0, pauses) } ?? ""
        return StatusAnswer(
            .paused,
            "Paused: \(kinds) \(Self.since(first.since, work.now)) by \(first.byWhom)\(why)\(users)."
        )
    }

    /// `230 users wait for it`, or how many wait for each kind.
    private static func waiting(_ counts: [NudgeKind: Int], _ pauses: [Pause]) -> String {
        if pauses.count == 1, let count = pauses.first.flatMap({ counts[$0.kind] }) {
            switch count {
            case 0: return "nobody waits for it"
            case 1: return "1 user waits for it"
            default: return "\(Elapsed.capped(count, WorkStatus.most)) users wait for it"
            }
        }
        let each = pauses.map { pause in
            "\(Elapsed.capped(counts[pause.kind] ?? 0, WorkStatus.most)) for \(KindText.plural(pause.kind.rawValue))"
        }
        return "users who wait: \(each.joined(separator: ", "))"
    }

    private static func behind(_ work: WorkStatus, _ alive: [ListedDaemon]) -> StatusAnswer? {
        let backlog = Backlog(work, alive)
        guard backlog.users > 0, backlog.late > backlog.usualDelay else { return nil }
        return StatusAnswer(.behind, "Behind: \(backlog.text); \(backlog.pace).")
    }

    private static func works(_ work: WorkStatus, _ alive: [ListedDaemon]) -> StatusAnswer {
        let daemons = Elapsed.counted(alive.count, "daemon", "daemons")
        let sweep = alive.compactMap { $0.state?.lastGood }.min()
            .map { "last good sweep \(Elapsed.text(work.now - $0)) ago" }
        let users = work.dueUsers == 0 ? "nobody waits" : Elapsed.counted(work.dueUsers, "user is due", "users are due")
        return StatusAnswer(.works, "Works: \(daemons), \(sweep ?? "no sweep yet"), \(users).")
    }

    // MARK: Times

    /// `since 09:12 UTC (6 min)`. With the date if it is more than a day ago.
    static func since(_ instant: Instant, _ now: Instant) -> String {
        let text = instant.rfc3339
        let day = now - instant < 86_400 ? "" : "\(text.prefix(10)) "
        return "since \(day)\(text.dropFirst(11).prefix(5)) UTC (\(Elapsed.text(now - instant)))"
    }
}
