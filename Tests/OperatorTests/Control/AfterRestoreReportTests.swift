@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator

/// What `nudged after-restore` says of several rows and daemons. `Transcripts` of IntegrationTests have the rest.
@Suite struct AfterRestoreReportTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)
    private static let id = "0f000000-0000-4000-8000-00000000000a"

    private static func daemon(host: String? = "web-1", pid: Int32? = 4711) -> LivingDaemon {
        LivingDaemon(id: UUID(uuidString: id) ?? UUID(), host: host, pid: pid, leaseMilliseconds: 23_500)
    }

    private static func report(
        _ command: String = "nudged after-restore",
        besideDaemons: Bool = false,
        isDone: Bool = false,
        daemons: [LivingDaemon] = [],
        of count: Int
    ) -> AfterRestoreReport {
        var report = AfterRestoreReport(
            command: command,
            besideDaemons: besideDaemons,
            at: now,
            isDone: isDone,
            daemons: daemons
        )
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

    private static func text(_ report: AfterRestoreReport) -> String { report.text(on: Screen(width: 80)) }

    @Test func dryRun_whenThereAreSeveral_usesPlurals() {
        let text = Self.text(Self.report(of: 2))
        for line in [
            "would drop      2 messages of 2 users, created from 2026-11-21T11:00:00Z to 2026-11-21T11:30:00Z",
            "would drop      2 reminders of 2 users, due at 2026-11-21T11:59:00Z, including 1 fan-out",
            "would drop      up to 1 more reminder: the user's time zone decides whether the wall time has passed",
            "would record    2 pushes in flight as unknown",
            "would evaluate  2 users again, without check-ins from before 2026-11-21T12:00:00Z",
        ] { #expect(text.contains("\n\(line)\n"), "\(text)") }
        let one = Self.text(Self.report(of: 1))
        #expect(one.contains("1 message of 1 user, created at 2026-11-21T11:00:00Z\n") && !one.contains("up to"))
        #expect(one.contains("record    1 push in") && one.contains("evaluate  1 user again"))
        let three = Self.text(Self.report(of: 3))
        #expect(three.contains("including 2 fan-outs\n") && three.contains("up to 2 more reminders:"), "\(three)")
    }

    @Test func dryRun_whenItWorksBesideDaemons_doesNotSayToStopThem() {
        let command = "nudged after-restore --config 'a b'"
        let beside = Self.text(Self.report(command, besideDaemons: true, daemons: [Self.daemon()], of: 1))
        #expect(beside.hasSuffix("To do it:\n    \(command) --yes --while-daemons-run"))
        #expect(!beside.contains("systemctl"))
    }

    @Test func report_whenItIsDone_saysWhatWasDoneAndWhatIsNext() {
        #expect(
            Self.text(Self.report(isDone: true, of: 2)) == """
                done: nothing that was due before 2026-11-21T12:00:00Z is sent

                dropped        2 messages of 2 users, created from 2026-11-21T11:00:00Z to 2026-11-21T11:30:00Z
                will drop      2 reminders of 2 users, due at 2026-11-21T11:59:00Z, including 1 fan-out
                will drop      up to 1 more reminder: the user's time zone decides whether the wall time has passed
                recorded       2 pushes in flight as unknown
                will evaluate  2 users again, without check-ins from before 2026-11-21T12:00:00Z

                No daemon is alive. To start it on each host: systemctl start nudged
                """
        )
        let daemons = [Self.daemon(), Self.daemon(host: nil, pid: nil)]
        let text = Self.text(Self.report(besideDaemons: true, isDone: true, daemons: daemons, of: 1))
        #expect(text.contains("\n2 daemons are alive:\n") && !text.contains("--yes"), "\(text)")
        #expect(text.contains("  host not known yet, daemon \(Self.id): its lease ends in 24 s\n"), "\(text)")
        #expect(text.hasSuffix("between the restore and this command may be sent a second time."), "\(text)")
        let two = AfterRestoreReport.refusal(beside: [Self.daemon(host: "web\u{1B}1"), Self.daemon()]).description
        #expect(two.hasPrefix("nothing was changed: 2 daemons are alive, ") && two.contains("web\u{FFFD}1"))
    }
}
