import APNs
import JSON
import Policy
import Postgres
@testable import Core
import Systemd
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator
@testable import Service

@Suite struct StatusPageTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)

    private static func lane(_ status: LaneStatus, _ environment: String = "production") -> LaneReport {
        LaneReport(
            LaneSample(lane: LaneIdentity(environment: environment, topic: "com.example.app"), status: status),
            since: now - 300
        ) { now + $0 / 1000 }
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
        work: SweepSummary? = nil,
        goodAgo: Int64 = 7,
        failure: SweepFailure? = nil,
        perMinute: Int = 0,
        ranges: [Int16] = []
    ) -> DaemonRow {
        var idle = SweepSummary(SweepReport(), at: now - sweptAgo)
        idle.milliseconds = 2
        let state = DaemonState(
            lanes: lanes,
            lastSweep: idle,
            lastWork: work,
            lastGood: now - goodAgo,
            failure: failure,
            usersPerMinute: perMinute,
            inFlight: 7,
            intervalMilliseconds: 1000
        )
        return DaemonRow(
            id: UUID(),
            host: "web-1",
            pid: 4711,
            version: "0.1.0",
            startedAt: now - 10_800,
            seenAt: now - unseen / 1000,
            unseenMilliseconds: unseen,
            state: state.json,
            ranges: ranges
        )
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

    private static func page(_ daemons: [DaemonRow], due: Int = 0, unknown: Int = 0) -> StatusPage {
        StatusPage(workStatus(daemons, due: due, unknown: unknown))
    }

    private static func workStatus(_ daemons: [DaemonRow], due: Int = 0, unknown: Int = 0) -> WorkStatus {
        WorkStatus(
            now: now,
            dueUsers: due,
            firstDue: due > 0 ? now - 200 : nil,
            touches: 3,
            openIntents: 1,
            openPushes: 1200,
            unknownPushes: unknown,
            daemons: daemons
        )
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
        #expect(
            page.answer.sentence == "Behind: 12,400 users wait, the oldest for 3 min; 310 users/s, about 40 s left."
        )
        #expect(page.status == .success)
        #expect(page.json.contains(#""answer":"behind""#) && page.json.contains(#""seconds_left":40"#))
        let slow = Self.page([Self.row([Self.lane(.open)], perMinute: 30)], due: 1)
        #expect(slow.answer.sentence == "Behind: 1 user waits, for 3 min; 30 users/min, about 2 s left.")
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

    @Test func answer_whenTheDrainFails_namesTheErrorAndTheFix() {
        let failing = Self.row([Self.lane(Self.stopped)], failure: Self.failure(360))
        let page = Self.page([failing], due: 12)
        #expect(
            page.text(width: 80).hasPrefix(
                """
                Does not work since 11:54 UTC (6 min): drain fails: 42P01 relation
                "nudged.recipient" does not exist.
                Fix: create it again

                """
            ),
            "\(page.text(width: 80))"
        )
        #expect(page.status == .failure)
        #expect(page.text(width: 80).split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(page.json.contains(#""answer":"does_not_work","sentence":"Does not work since 11:54 UTC"#))
        #expect(page.json.contains(#""remedy":"create it again","schema":"#), "\(page.json)")
        let one = Self.page([Self.row([Self.lane(.open)]), failing])
        #expect(one.answer.sentence.hasPrefix("Does not work on web-1 since 11:54 UTC (6 min): drain fails: "))
        // It is over: the page keeps it, the answer does not.
        let over = Self.page([Self.row([Self.lane(.open)], failure: Self.failure(360, until: 120))])
        #expect(over.status == .success)
        #expect(
            over.text(width: 120).contains(
                #"  last error    it ended 2 min ago after 4 min: drain fails: 42P01 relation "nudged.recipient""#
            ),
            "\(over.text(width: 120))"
        )
    }

    @Test func answer_whenKindsArePaused_saysByWhomAndHowManyWait() {
        func pause(_ kind: NudgeKind, _ ago: Int64) -> Pause {
            Pause(
                kind: kind,
                since: Self.now - ago,
                heldSince: Self.now - ago,
                byWhom: "anna@web-1",
                reason: "wrong text",
                resumedAt: nil
            )
        }
        var work = Self.workStatus([Self.row([Self.lane(.open)])])
        work.pauses = [pause(.checkIn, 14_400)]
        let one = StatusPage(work, waiting: [.checkIn: 230])
        #expect(
            one.answer.sentence
                == #"Paused: check-ins since 08:00 UTC (4 h) by anna@web-1 ("wrong text"); 230 users wait for it."#
        )
        #expect(one.status == .success && !one.text(width: 80).contains("\npaused "))
        #expect(one.json.contains(#""waiting_users":230"#))
        let none = StatusPage(work, waiting: [.checkIn: 0])
        #expect(none.answer.sentence.hasSuffix(#"("wrong text"); nobody waits for it."#))
        work.pauses.append(pause(.message, 200_000))
        let two = StatusPage(work, waiting: [.checkIn: 230, .message: 1])
        #expect(
            two.answer.sentence
                == #"Paused: check-ins, messages since 2026-11-19 04:26 UTC (2 days) by anna@web-1 ("wrong text"); "#
                + "users who wait: 230 for check-ins, 1 for messages."
        )
        #expect(two.text(width: 80).contains("\npaused        messages for 2 days, by anna@web-1: wrong text\n"))
        // Not counted in time.
        #expect(StatusPage(work).answer.sentence.hasSuffix(#"by anna@web-1 ("wrong text")."#))
    }

    @Test(
        arguments: [
            ([], "none"), ([5], "5 (1 of 64)"), ([-32, -31, -30, -1, 0, 7], "-32..-30, -1..0, 7 (6 of 64)"),
        ] as [([Int16], String)]
    )
    func ranges_areShort(ranges: [Int16], text: String) {
        let page = Self.page([Self.row([], ranges: ranges)])
        #expect(page.text(width: 80).contains("  ranges        \(text)\n"), "\(page.text(width: 80))")
    }

    // MARK: The page

    @Test func text_whenUsersWaitAndAreServed() {
        var report = SweepReport()
        report.users = 430
        report.record.enter(.accepted, of: "check_in", 1412)
        report.record.enter(.rejected, of: "check_in")
        report.milliseconds = 96
        let work = SweepSummary(report, at: Self.now - 3600)
        let lanes = [Self.lane(.open), Self.lane(.idle, "sandbox")]
        let page = Self.page(
            [Self.row(lanes, work: work, perMinute: 18_600, ranges: Array(-32...31))],
            due: 100_000
        )
        #expect(
            page.text(width: 100) == """
                Behind: 100,000 or more users wait, the oldest for 3 min; 310 users/s, at least 5 min left.

                users due     100,000 or more, the first for 3 min; 310 users/s, at least 5 min left
                changes       3 waiting for a sweep
                being sent    1,200 pushes
                unknown       0 in the last 24 h

                daemon on web-1, process 4711: alive for 3 h, seen 4 s ago, version 0.1.0
                  last sweep    no users
                  last work     60 min ago: sent 1,412, rejected 1 of 430 users in 96 ms
                  ranges        -32..31 (64 of 64)
                  in flight     7
                  lane production com.example.app: connected for 5 min
                  lane sandbox com.example.app: idle for 5 min: no connection is needed
                """
        )
        #expect(page.status == .success)
    }

    @Test func text_whenAFanOutIsStuck() {
        let fanOuts = WaitingFanOuts(
            count: 2,
            first: Self.now - 600,
            reminderID: UUID(),
            subjectType: "task",
            subjectID: "42\u{1B}[2J"
        )
        var page = Self.workStatus([Self.row([Self.lane(.open)])])
        page.fanOuts = fanOuts
        #expect(
            StatusPage(page).text(width: 300).contains(
                "\nfor everyone  2 reminders are not fanned out to all yet, the first for 10 min: task 42\u{FFFD}[2J (if the journal has spread_failed, "
            )
        )
        let json = StatusPage(page).json
        #expect(json.contains(#""fan_outs":{"count":2,"first":"2026-11-21T11:50:00Z","reminder_id":""#))
        #expect(json.contains(#""subject_type":"task","subject_id":"42\u001b[2J"}"#), "\(json)")
        page.fanOuts = nil
        #expect(StatusPage(page).json.contains(#""fan_outs":null"#))
        #expect(!StatusPage(page).text(width: 80).contains("everyone"))
    }

    @Test func text_whenALaneIsStoppedAndADaemonIsLost() {
        let page = Self.page([
            Self.row([Self.lane(.open)], unseen: 130_000),
            Self.row([Self.lane(Self.stopped), Self.lane(.backingOff(until: 0, why: "no route"), "sandbox")]),
        ])
        #expect(
            page.text(width: 120).split(separator: "\n", omittingEmptySubsequences: false).dropFirst(8)
                .joined(separator: "\n")
                    == """
                    daemon on web-1, process 4711: alive for 3 h, seen 4 s ago, version 0.1.0
                      last sweep    no users
                      ranges        none
                      in flight     7
                      lane production com.example.app: stopped for 5 min: Apple answers InvalidProviderToken
                        fix: check teamId and keyId
                        next try in 40 s
                      lane sandbox com.example.app: waiting for 5 min: no route
                        next try now

                    daemon on web-1, process 4711: not seen for 2 min
                    """
        )
        #expect(page.status == .temporary)
    }

    /// A row is up to ten seconds old; a sweep that had been late when it was written is what somebody should see.
    @Test(arguments: [(4, "no users"), (8, "no users"), (9, "9 s ago: no users"), (600, "10 min ago: no users")])
    func lastSweep_whenItWasSoLongAgo(seconds: Int64, text: String) {
        let page = Self.page([Self.row([], sweptAgo: seconds)])
        #expect(
            page.text(width: 80).hasSuffix("last sweep    \(text)\n  ranges        none\n  in flight     7"),
            "\(page.text(width: 80))"
        )
    }

    @Test func status_whenNoDaemonIsAlive() {
        #expect(Self.page([]).status == .unavailable)
        #expect(
            Self.page([]).text(width: 80).hasPrefix(
                "Does not work: no daemon is alive, so nothing is sent.\nFix: systemctl start nudged\n\n"
            )
        )
        #expect(
            Self.page([Self.row([], unseen: 130_000)]).answer.sentence
                == "Does not work since 11:57 UTC (2 min): no daemon is alive, so nothing is sent."
        )
        // What a dead daemon's lanes were is no matter.
        #expect(Self.page([Self.row([Self.lane(Self.stopped)], unseen: 30_000)]).status == .unavailable)
        #expect(Self.page([Self.row([Self.lane(.open)], unseen: 29_999)]).status == .success)
        let both = [Self.row([Self.lane(Self.stopped)], unseen: 30_000), Self.row([Self.lane(.open)])]
        #expect(Self.page(both).status == .success)
        #expect(Self.page([Self.row([Self.lane(.open)]), Self.row([Self.lane(Self.stopped)])]).status == .temporary)
    }

    @Test func json_holdsTheSame() throws {
        let page = Self.page([Self.row([Self.lane(Self.stopped)])], due: 12, unknown: 2)
        let json = try JSONValue(parsing: page.json)
        #expect(json["due_users"] == .int(12) && json["unknown_24h"] == .int(2) && json["open_pushes"] == .int(1200))
        #expect(json["first_due"] == .string("2026-11-21T11:56:40Z") && json["exit"] == .int(75))
        guard case .array(let daemons) = json["daemons"], let daemon = daemons.first,
            case .array(let lanes) = daemon["state"]?["lanes"]
        else {
            Issue.record("no daemons: \(page.json)")
            return
        }
        #expect(daemon["alive"] == .bool(true) && daemon["pid"] == .int(4711))
        #expect(
            lanes.first?["state"] == .string("stopped") && lanes.first?["next_probe"] == .string("2026-11-21T12:00:40Z")
        )
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

    @Test func text_whenTheDecisionServiceIsAsked_saysItsState() throws {
        var row = Self.row([Self.lane(.open)])
        #expect(!Self.page([row]).text(width: 80).contains("decisions"))
        var state = try #require(DaemonState(json: row.state))
        var status = DecisionStatus(since: Self.now - 200)
        for (fault, text) in [
            (nil, "  decisions     active for 3 min\n"),
            ("it can't be reached", "  decisions     using fallback for 60 s: it can't be reached\n"),
        ] {
            status.note(fault: fault, now: Self.now - 60)
            state.decision = status
            row = DaemonRow(
                id: UUID(),
                host: "web-1",
                pid: 4711,
                version: "0.1.0",
                startedAt: Self.now - 10_800,
                seenAt: Self.now,
                unseenMilliseconds: 0,
                state: state.json
            )
            let page = Self.page([row])
            #expect(page.text(width: 80).contains(text), "\(page.text(width: 80))")
            #expect(page.json.contains(#""decision":{"state":"#))
        }
    }

    /// A configuration that was changed by others could send everything there.
    @Test func lane_whenItsServerIsNotApples_namesIt() {
        let lane = LaneIdentity(environment: "production", topic: "com.example.app")
        for (server, line) in [
            ("push.example.com:8443", "    server push.example.com:8443, which is not Apple's"), (nil, nil),
        ] as [(String?, String?)] {
            let sample = LaneSample(lane: lane, status: .open, otherServer: server)
            let report = LaneReport(sample, since: Self.now) { _ in nil }
            let page = Self.page([Self.row([report])])
            let lines = page.text(width: 80).split(separator: "\n").map(String.init)
            #expect(lines.first { $0.contains("not Apple's") } == line, "\(lines)")
            #expect(page.json.contains(#""other_server":\#(server.map { "\"\($0)\"" } ?? "null"),"#), "\(page.json)")
            let before = LaneReport(LaneSample(lane: lane, status: .open), since: nil) { _ in nil }
            #expect(report.isNews(after: before) == (server != nil))
        }
    }

    @Test func state_whenItIsAnotherVersionsOrNone() throws {
        #expect(DaemonState(json: "[]") == nil && DaemonState(json: "nonsense") == nil)
        let newer = try #require(
            DaemonState(json: #"{"lanes": [{"environment": "a", "topic": "b", "state": "dreaming"}, 7], "x": 1}"#)
        )
        #expect(newer.lanes.map(\.state.rawValue) == ["dreaming"] && newer.lastSweep == nil)
        let row = DaemonRow(
            id: UUID(),
            host: "h",
            pid: 1,
            version: "9",
            startedAt: Self.now,
            seenAt: Self.now,
            unseenMilliseconds: 0,
            state: "[]"
        )
        #expect(Self.page([row]).text(width: 80).contains("its state can't be read"))
    }
}
