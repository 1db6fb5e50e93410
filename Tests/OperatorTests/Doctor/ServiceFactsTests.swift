import Foundation
@testable import Core
import Systemd
import TestSupport
import Testing
import TimeZones

@testable import Operator

@Suite struct ServiceFactsTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)

    /// The unit as it is shipped.
    private static let shipped = (try? Checkout.text("systemd/nudged.service")) ?? ""

    private static func work(_ daemons: [DaemonRow]) -> WorkStatus { WorkStatus(now: now, daemons: daemons) }

    private static func row(unseen: Int64 = 4000, version: String = "0.1.0", stopped: Bool = false) -> DaemonRow {
        let lane =
            "{\"environment\": \"production\", \"topic\": \"a.b\", \"state\": \"\(stopped ? "stopped" : "open")\"}"
        return DaemonRow(version: version, now: now, unseen: unseen, state: "{\"lanes\": [\(lane)]}")
    }

    private static func findings(
        unit: UnitSettings? = UnitSettings(path: "/lib/nudged.service", texts: [shipped]),
        isEnabled: Bool = true,
        hasSystemd: Bool = true,
        process: ServiceFacts.Process = .running(7, unit: "nudged.service"),
        work: Known<WorkStatus> = .success(work([row()]))
    ) -> [Finding] {
        ServiceFacts(hasSystemd: hasSystemd, unit: unit, isEnabled: isEnabled, process: process).findings(work: work)
    }

    private static func finding(_ check: String, in findings: [Finding]) -> Finding? {
        findings.first { $0.check == check }
    }

    @Test func unit_whenItIsAsShipped_isFine() {
        #expect(!Self.shipped.isEmpty)
        #expect(Self.findings().allSatisfy { $0.level == .ok }, "\(Self.findings())")
    }

    /// Each promise of the unit, taken back by a drop-in, is a warning of its own.
    @Test(arguments: [
        ("[Service]\nType=simple", "Type=notify"), ("[Service]\nWatchdogSec=0", "WatchdogSec=120"),
        ("[Service]\nRestart=on-failure", "Restart=always"), ("[Service]\nLimitCORE=infinity", "LimitCORE=0"),
        ("[Service]\nDynamicUser=no", "DynamicUser=yes"),
        ("[Service]\nExecReload=", "ExecReload=/usr/bin/nudged reload"),
        ("[Unit]\nStartLimitIntervalSec=10", "start limit"),
    ]) func unit_whenADropInTakesAPromiseBack_saysWhatThatMeans(dropIn: String, said: String) {
        let unit = UnitSettings(path: "/lib/nudged.service", texts: [Self.shipped, dropIn])
        let odd = Self.findings(unit: unit).filter { $0.level != .ok }
        #expect(odd.count == 1 && odd[0].level == .warning && odd[0].check == "settings", "\(odd)")
        #expect(odd.first?.found.contains(said) == true && odd.first?.remedy?.contains("systemctl edit nudged") == true)
    }

    @Test func unit_whenItHasAUserOfItsOwn_isFine() {
        let unit = UnitSettings(path: "/u", texts: [Self.shipped, "[Service]\nDynamicUser=no\nUser=nudged"])
        #expect(Self.findings(unit: unit).allSatisfy { $0.level == .ok })
        let root = UnitSettings(path: "/u", texts: [Self.shipped, "[Service]\nDynamicUser=no\nUser=root"])
        #expect(Self.findings(unit: root).contains { $0.found.contains("runs as root") })
    }

    @Test func unit_whenItIsNotInstalledOrNotEnabled_isSaid() {
        #expect(Self.finding("unit", in: Self.findings(isEnabled: false))?.level == .warning)
        let none = Self.findings(unit: nil, process: .none)
        #expect(Self.finding("unit", in: none)?.level == .unchecked && Self.finding("settings", in: none) == nil)
        let other = Self.findings(hasSystemd: false, process: .none)
        #expect(Self.finding("unit", in: other)?.level == .unchecked && Self.finding("settings", in: other) == nil)
    }

    @Test(arguments: [
        (ServiceFacts.Process.none, Finding.Level.ok), (.hidden, .unchecked), (.running(7, unit: nil), .warning),
        (.running(7, unit: "nudged.service"), .ok),
    ]) func process_whenNobodyRestartsIt_isAWarning(process: ServiceFacts.Process, expected: Finding.Level) {
        #expect(Self.finding("process", in: Self.findings(process: process))?.level == expected)
    }

    @Test func unit_whenItIsMasked_isSaid_andNothingElseOfIt() throws {
        let root = try TemporaryFolder()
        defer { root.remove() }
        let place = try root.write("", to: "etc/systemd/system/nudged.service")
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/dev/null")
        let findings = Self.findings(unit: UnitSettings(unit: "nudged.service", root: root.path), process: .none)
        let unit = Self.finding("unit", in: findings)
        #expect(unit?.level == .warning && unit?.remedy?.contains("systemctl unmask nudged") == true)
        #expect(Self.finding("settings", in: findings) == nil)
    }

    /// Doctor runs by sudo and reads everything; the service's own user does not. Of a user or group that the unit names nobody knows here.
    @Test(arguments: [
        ("DynamicUser=yes", 0o600, 0o755, "read /etc/nudged/nudged.yaml (mode 0600)"),
        ("DynamicUser=yes", 0o640, 0o755, "read /etc/nudged/nudged.yaml (mode 0640)"),
        ("DynamicUser=yes", 0o644, 0o700, "enter /etc/nudged"), ("DynamicUser=yes", 0o644, 0o755, nil),
        ("DynamicUser=no\nUser=nudged", 0o600, 0o755, nil), ("User=nudged", 0o600, 0o755, nil),
        ("SupplementaryGroups=conf", 0o640, 0o755, nil),
        ("ExecStart=/usr/bin/nudged run --config /a", 0o600, 0o755, nil),
    ]) func settings_whenTheUnitsUserCantReadTheConfiguration_areAnError(
        setting: String,
        mode: mode_t,
        folder: mode_t,
        fault: String?
    ) {
        let unit = UnitSettings(path: "/u", texts: [Self.shipped, "[Service]\n\(setting)"])
        var facts = ServiceFacts(hasSystemd: true, unit: unit, isEnabled: true, process: .running(7, unit: "a.service"))
        facts.configuration = SecretFile(path: "/etc/nudged/nudged.yaml", mode: mode, folderMode: folder)
        let errors = facts.findings(work: .success(Self.work([Self.row()]))).filter { $0.level == .error }
        #expect(errors.map(\.check) == (fault == nil ? [] : ["settings"]))
        #expect(errors.allSatisfy { $0.found.contains(fault ?? "") && $0.status == .permission })
    }

    @Test func process_whenARowSaysThatItRunsHere_isNotDenied() {
        var facts = ServiceFacts(hasSystemd: true, unit: nil, isEnabled: false, process: .none)
        let work = Known<WorkStatus>.success(Self.work([Self.row()]))
        #expect(Self.finding("process", in: facts.findings(work: work))?.level == .ok)
        facts.host = "web-1"
        let finding = Self.finding("process", in: facts.findings(work: work))
        #expect(finding?.level == .unchecked && finding?.found.contains("process 4711") == true)
        // Started by a hand, without what the unit gives it: it is here, and nobody restarts it.
        facts.isNudged = { $0 == 4711 }
        let unattended = Self.finding("process", in: facts.findings(work: work))
        #expect(unattended?.level == .warning && unattended?.found.contains("process 4711 is a daemon") == true)
    }

    @Test func process_whenThereIsNoSystemd_isFineByItself() {
        let findings = Self.findings(hasSystemd: false, process: .running(7, unit: nil))
        #expect(Self.finding("process", in: findings)?.level == .ok)
    }

    @Test func daemons_byTheirRows() {
        func finding(_ rows: [DaemonRow]) -> Finding? {
            Self.finding("daemons", in: Self.findings(work: .success(Self.work(rows))))
        }
        #expect(finding([Self.row()])?.level == .ok)
        #expect(finding([])?.level == .warning && finding([Self.row(unseen: 40_000)])?.level == .warning)
        #expect(finding([Self.row(), Self.row(version: "0.2.0")])?.found.contains("versions 0.1.0 and 0.2.0") == true)
        let stopped = finding([Self.row(stopped: true)])
        #expect(stopped?.level == .error && stopped?.status == .configuration)
        #expect(Self.finding("daemons", in: Self.findings(work: .failure(Unanswered(why: "why"))))?.level == .unchecked)
    }

    @Test(arguments: [
        ("0::/system.slice/nudged.service", "nudged.service"), ("0::/user.slice/user-0.slice/session-1.scope", nil),
        ("12:pids:/system.slice/a.service\n1:name=systemd:/system.slice/nudged.service\n0::/", "nudged.service"),
    ]) func unit_isReadFromTheControlGroup(text: String, expected: String?) {
        #expect(ServiceFacts.unit(inGroups: text) == expected)
    }
}
