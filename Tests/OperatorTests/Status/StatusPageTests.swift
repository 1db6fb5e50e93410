import APNs
import JSON
import Policy
import Postgres
@testable import Core
import Systemd
import Testing
import TimeZones

@testable import Operator
@testable import Service

@Suite struct StatusPageTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)

    private static func lane(_ status: LaneStatus, _ environment: String = "production") -> LaneReport {
        let lane = LaneIdentity(environment: environment, topic: "com.example.app")
        var report = LaneReport(lane, status, now: now, boot: 0)
        report.since = now - 300
        return report
    }

    private static let stopped = LaneStatus.stopped(
        reason: "InvalidProviderToken",
        remedy: "check teamId and keyId",
        nextProbe: 40_000
    )

    private static func row(
        _ lanes: [LaneReport],
        unseen: Int64 = 4000,
        sweptAgo: Int64 = 5,
        goodAgo: Int64 = 7,
        failure: SweepFailure? = nil,
        perMinute: Int = 0,
        ranges: [Int16] = []
    ) -> DaemonRow {
        var report = SweepReport()
        report.milliseconds = 2
        let idle = SweepSummary(report, at: now - sweptAgo)
        let state = DaemonState(
            lanes: lanes,
            lastSweep: idle,
            lastWork: nil,
            lastGood: now - goodAgo,
            failure: failure,
            usersPerMinute: perMinute,
            inFlight: 7,
            intervalMilliseconds: 1000
        )
        return DaemonRow(now: now, unseen: unseen, state: state.json, ranges: ranges)
    }

    /// As the daemon writes it when `nudged.recipient` was renamed.
    private static func failure(_ ago: Int64, until: Int64? = nil) -> SweepFailure {
        let error = PostgresError(
            .refusedByServer,
            sqlState: "42P01",
            statement: "drain",
            detail: #"relation "nudged.recipient" does not exist"#
        )
        var failure = SweepFailure(error, since: now - ago)
        failure.fix = "create it again"
        failure.until = until.map { now - $0 }
        return failure
    }

    private static func page(_ daemons: [DaemonRow], due: Int = 0) -> StatusPage {
        var work = WorkStatus(now: now, due: due, firstDue: now - 200, touches: 3, daemons: daemons)
        (work.openIntents, work.openPushes) = (1, 1200)
        return StatusPage(work)
    }

    // MARK: The answer

    @Test func answer_whenAllIsWell_isOneLine() {
        let one = Self.page([Self.row([Self.lane(.open)])])
        #expect(one.answer.sentence == "Works: 1 daemon, last good sweep 7 s ago, nobody waits.")
        #expect(one.status == .success && one.answer.fix == nil)
        // The one whose last good sweep is longer ago counts.
        let two = Self.page([Self.row([], goodAgo: 3), Self.row([], goodAgo: 9)])
        #expect(two.answer.sentence == "Works: 2 daemons, last good sweep 9 s ago, nobody waits.")
    }

    @Test func answer_whenABacklogShrinks_saysItsEnd() {
        let page = Self.page([Self.row([Self.lane(.open)], perMinute: 18_600)], due: 12_400)
        let said = "Behind: 12,400 users wait, the oldest for 3 min; 310 users/s, about 40 s left."
        #expect(page.answer.sentence == said && page.status == .success)
        #expect(page.json.contains(#""answer":"behind""#) && page.json.contains(#""seconds_left":40"#))
        let slow = Self.page([Self.row([Self.lane(.open)], perMinute: 30)], due: 1)
        #expect(slow.answer.sentence == "Behind: 1 user waits, for 3 min; 30 users/min, about 2 s left.")
        // More wait than are counted.
        let many = Self.page([Self.row([Self.lane(.open)], perMinute: 18_600)], due: 100_000)
        let least = "Behind: 100,000 or more users wait, the oldest for 3 min; 310 users/s, at least 5 min left."
        #expect(many.answer.sentence == least && many.status == .success)
        #expect(many.text(on: Screen(width: 100)).contains("being sent    1,200 pushes\n"))
    }

    @Test func answer_whenNobodyIsServed_isAFault() {
        let page = Self.page([Self.row([Self.lane(.backingOff(until: 0, why: "no route"))])], due: 12)
        #expect(
            page.answer.sentence
                == "Does not work: 12 users wait, the oldest for 3 min, and none was served in the last 10 s: "
                + "lane production com.example.app is waiting, no route."
        )
        #expect(page.status == .failure)
        // A sweep over many users takes minutes, but it serves them meanwhile.
        let long = Self.row([Self.lane(.open)], goodAgo: 600, perMinute: 60)
        #expect(Self.page([long]).status == .success)
        let hung = Self.page([Self.row([Self.lane(.open)], goodAgo: 600)])
        #expect(hung.answer.sentence == "Does not work since 11:50 UTC (10 min): no sweep was good.")
        #expect(hung.status == .failure)
    }

    @Test(
        arguments: [
            ([], "none"), ([5], "5 (1 of 64)"), ([-32, -31, -30, -1, 0, 7], "-32..-30, -1..0, 7 (6 of 64)"),
        ] as [([Int16], String)]
    ) func ranges_areShort(ranges: [Int16], text: String) {
        let page = Self.page([Self.row([], ranges: ranges)])
        let said = page.text(on: Screen(width: 80))
        #expect(said.contains("  ranges        \(text)\n"), "\(said)")
    }

    // MARK: The page

    /// A row is up to ten seconds old; a sweep that had been late when it was written is what somebody should see.
    @Test(arguments: [(4, "no users"), (8, "no users"), (9, "9 s ago: no users"), (600, "10 min ago: no users")])
    func lastSweep_whenItWasSoLongAgo(seconds: Int64, text: String) {
        let said = Self.page([Self.row([], sweptAgo: seconds)]).text(on: Screen(width: 80))
        #expect(said.hasSuffix("last sweep    \(text)\n  ranges        none\n  in flight     7"), "\(said)")
    }

    @Test func status_whenNoDaemonIsAlive() {
        #expect(Self.page([]).status == .unavailable)
        let none = "Does not work: no daemon is alive, so nothing is sent.\nFix: systemctl start nudged\n\n"
        #expect(Self.page([]).text(on: Screen(width: 80)).hasPrefix(none))
        let since = "Does not work since 11:57 UTC (2 min): no daemon is alive, so nothing is sent."
        #expect(Self.page([Self.row([], unseen: 130_000)]).answer.sentence == since)
        // What a dead daemon's lanes were is no matter.
        #expect(Self.page([Self.row([Self.lane(Self.stopped)], unseen: 30_000)]).status == .unavailable)
        #expect(Self.page([Self.row([Self.lane(.open)], unseen: 29_999)]).status == .success)
        let both = [Self.row([Self.lane(Self.stopped)], unseen: 30_000), Self.row([Self.lane(.open)])]
        #expect(Self.page(both).status == .success)
        #expect(Self.page([Self.row([Self.lane(.open)]), Self.row([Self.lane(Self.stopped)])]).status == .temporary)
    }

    @Test func state_isReadBack() throws {
        let all: [LaneStatus] = [
            .idle, .open, .connecting, .draining, .resting(until: 5000), .backingOff(until: 9000, why: "why"),
            Self.stopped,
        ]
        var report = SweepReport()
        (report.users, report.milliseconds) = (1, 7)
        for (place, outcome) in DeliveryRecord.Outcome.allCases.enumerated() {
            report.record.enter(outcome, of: "check_in", place + 2)
        }
        let state = DaemonState(
            lanes: all.map { Self.lane($0) },
            lastSweep: SweepSummary(report, at: Self.now),
            lastWork: nil,
            lastGood: Self.now - 1,
            failure: Self.failure(60, until: 30),
            usersPerMinute: 9,
            inFlight: 3,
            intervalMilliseconds: 1000
        )
        #expect(DaemonState(json: state.json) == state)
        var asking = state
        asking.decision = DecisionStatus(since: Self.now)
        #expect(DaemonState(json: asking.json) == asking)
    }

    @Test func state_whenItIsAnotherVersionsOrNone() throws {
        #expect(DaemonState(json: "[]") == nil && DaemonState(json: "nonsense") == nil)
        let lanes = #"{"lanes": [{"environment": "a", "topic": "b", "state": "dreaming"}, 7], "x": 1}"#
        let newer = try #require(DaemonState(json: lanes))
        #expect(newer.lanes.map(\.state) == ["dreaming"] && newer.lastSweep == nil)
        let unread = Self.page([DaemonRow(now: Self.now, state: "[]")]).text(on: Screen(width: 80))
        #expect(unread.contains("its state can't be read"))
    }
}
