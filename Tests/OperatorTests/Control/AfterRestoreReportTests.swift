@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator

/// What `nudged after-restore` says.
@Suite struct AfterRestoreReportTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)
    private static let command = "nudged after-restore"
    private static let id = "0f000000-0000-4000-8000-00000000000a"

    private static func daemon(host: String? = "web-1", pid: Int32? = 4711) -> LivingDaemon {
        LivingDaemon(id: UUID(uuidString: id) ?? UUID(), host: host, pid: pid, leaseMilliseconds: 23_500)
    }

    private static func report(
        isDone: Bool = false,
        daemons: [LivingDaemon] = [],
        of count: Int
    ) -> AfterRestoreReport {
        var report = AfterRestoreReport(at: now, isDone: isDone, daemons: daemons)
        report.messages = DroppedRows(count: count, users: count, oldest: now - 3600, newest: now - Int64(3600 / count))
        report.reminders = DroppedRows(
            count: count,
            users: count,
            oldest: now - 60,
            newest: now - 60,
            fanOuts: count - 1,
            perhaps: count - 1
        )
        report.users = count
        report.unknown = count
        return report
    }

    @Test func dryRun_whenThereIsOneOfEach_saysSoAndEndsWithTheCommand() {
        #expect(
            Self.report(of: 1).text(command: Self.command, besideDaemons: false) == """
                nothing was changed: this is a dry run. Use this command only after a restore from a backup.

                would drop      1 message of 1 user, created at 2026-11-21T11:00:00Z
                would drop      1 reminder of 1 user, due at 2026-11-21T11:59:00Z
                would record    1 push in flight as unknown
                would evaluate  1 user again, without check-ins from before 2026-11-21T12:00:00Z

                No daemon is alive.

                To do it:
                    nudged after-restore --yes
                """
        )
    }

    @Test func dryRun_whenThereAreSeveral_usesPlurals() {
        let text = Self.report(of: 2).text(command: Self.command, besideDaemons: false)
        for line in [
            "would drop      2 messages of 2 users, created from 2026-11-21T11:00:00Z to 2026-11-21T11:30:00Z",
            "would drop      2 reminders of 2 users, due at 2026-11-21T11:59:00Z, including 1 fan-out",
            "would drop      up to 1 more reminder: the user's time zone decides whether the wall time has passed",
            "would record    2 pushes in flight as unknown",
            "would evaluate  2 users again, without check-ins from before 2026-11-21T12:00:00Z",
        ] { #expect(text.contains("\n\(line)\n"), "\(text)") }
        let three = Self.report(of: 3).text(command: Self.command, besideDaemons: false)
        #expect(three.contains("including 2 fan-outs\n") && three.contains("up to 2 more reminders:"), "\(three)")
    }

    @Test func dryRun_whenNothingWaits_saysNoTimes() {
        let report = AfterRestoreReport(at: Self.now, isDone: false, daemons: [])
        let text = report.text(command: Self.command, besideDaemons: false)
        #expect(text.contains("would drop      0 messages\n") && text.contains("would drop      0 reminders\n"))
        #expect(text.contains("0 users again") && !text.contains("up to"))
    }

    @Test func dryRun_whenADaemonIsAlive_saysHowToStopIt() {
        let report = Self.report(daemons: [Self.daemon()], of: 1)
        #expect(
            report.text(command: Self.command, besideDaemons: false).hasSuffix(
                """

                1 daemon is alive:
                  web-1, process 4711, daemon \(Self.id): its lease ends in 24 s
                Stop every daemon on its host: systemctl stop nudged
                A daemon that was killed counts as alive until its lease ends.

                Then run:
                    nudged after-restore --yes
                """
            )
        )
        let beside = report.text(command: "nudged after-restore --config 'a b'", besideDaemons: true)
        #expect(beside.hasSuffix("To do it:\n    nudged after-restore --config 'a b' --yes --while-daemons-run"))
        #expect(!beside.contains("systemctl"))
    }

    @Test func report_whenItIsDone_saysWhatWasDoneAndWhatIsNext() {
        #expect(
            Self.report(isDone: true, of: 2).text(command: Self.command, besideDaemons: false) == """
                done: nothing that was due before 2026-11-21T12:00:00Z is sent

                dropped        2 messages of 2 users, created from 2026-11-21T11:00:00Z to 2026-11-21T11:30:00Z
                will drop      2 reminders of 2 users, due at 2026-11-21T11:59:00Z, including 1 fan-out
                will drop      up to 1 more reminder: the user's time zone decides whether the wall time has passed
                recorded       2 pushes in flight as unknown
                will evaluate  2 users again, without check-ins from before 2026-11-21T12:00:00Z

                No daemon is alive. To start it on each host: systemctl start nudged
                """
        )
        let beside = Self.report(isDone: true, daemons: [Self.daemon(), Self.daemon(host: nil, pid: nil)], of: 1)
        let text = beside.text(command: Self.command, besideDaemons: true)
        #expect(text.contains("\n2 daemons are alive:\n") && !text.contains("--yes"), "\(text)")
        #expect(text.contains("  host not known yet, daemon \(Self.id): its lease ends in 24 s\n"), "\(text)")
        #expect(text.hasSuffix("between the restore and this command may be sent a second time."), "\(text)")
    }

    @Test func refusal_whenDaemonsAreAlive_namesThem() {
        #expect(
            DaemonsAlive(daemons: [Self.daemon(host: "web\u{1B}1")]).description == """
                nothing was changed: 1 daemon is alive, and may send nudges a second time
                  web\u{FFFD}1, process 4711, daemon \(Self.id): its lease ends in 24 s
                Stop every daemon on its host: systemctl stop nudged
                A daemon that was killed counts as alive until its lease ends.
                To do it while daemons run, add --while-daemons-run.
                """
        )
        let two = DaemonsAlive(daemons: [Self.daemon(), Self.daemon()]).description
        #expect(two.hasPrefix("nothing was changed: 2 daemons are alive, "))
    }

    @Test func json_holdsTheSame() {
        let day = "2026-11-21T"
        let wanted = [
            #"{"done":false,"at":"\#(day)12:00:00Z","users":1,"unknown":1,"#,
            #""messages":{"count":1,"users":1,"oldest":"\#(day)11:00:00Z","newest":"\#(day)11:00:00Z"},"#,
            #""reminders":{"count":1,"users":1,"oldest":"\#(day)11:59:00Z","newest":"\#(day)11:59:00Z","#,
            #""fan_outs":0,"perhaps":0},"#,
            #""daemons":[{"daemon_id":"\#(Self.id)","host":"web-1","pid":null,"lease_ms":23500}]}"#,
        ]
        #expect(Self.report(daemons: [Self.daemon(pid: nil)], of: 1).json == wanted.joined())
    }
}
