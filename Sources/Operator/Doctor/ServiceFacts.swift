import Configuration
import Service
import Store
import Systemd
import TimeZones

/// What there is to say of the service on this machine, and of daemons anywhere.
struct ServiceFacts: Sendable {
    /// The daemon that runs here.
    enum Process: Sendable, Equatable {
        case none
        /// Who we are may not look.
        case hidden
        /// Its number, and the unit that systemd runs it as; nil: nobody's, or not to be seen.
        case running(Int32, unit: String?)
    }

    /// systemd is this machine's first process.
    let hasSystemd: Bool
    /// nil: no unit is installed.
    let unit: UnitSettings?
    /// It starts with the machine.
    let isEnabled: Bool
    /// The configuration file where the unit looks for it; nil: there is none.
    var configuration: SecretFile?
    let process: Process
    /// This machine's name, as daemons write it.
    var host = ""
    /// Whether a process of that number runs here and is a nudged.
    var isNudged: @Sendable (_ process: Int32) -> Bool = { _ in false }

    static let unitName = "nudged.service"

    private static let unitPlace = Finding.Place(.service, "unit")
    private static let settingsPlace = Finding.Place(.service, "settings")
    private static let processPlace = Finding.Place(.service, "process")
    private static let daemonsPlace = Finding.Place(.service, "daemons")

    /// - Parameter work: what the database knows of daemons.
    func findings(work: Known<WorkStanding>) -> [Finding] {
        [installed] + settings + unreadable + [running(work), work.finding(Self.daemonsPlace, Self.alive)]
    }

    private var installed: Finding {
        guard hasSystemd else { return Self.unitPlace.unchecked("systemd does not run this machine") }
        guard let unit else {
            return Self.unitPlace.unchecked("no \(Self.unitName) is installed here; the daemon may run elsewhere")
        }
        if unit.isMasked {
            return Self.unitPlace.warning(
                "\(unit.path) masks the unit: nothing can start it",
                mend: "\(Self.unmasking(unit.path)), and systemctl enable --now nudged"
            )
        }
        guard isEnabled else {
            return Self.unitPlace.warning(
                "\(unit.path) is not enabled: after a restart of this machine nobody is nudged",
                mend: "systemctl enable --now nudged"
            )
        }
        return Self.unitPlace.ok("\(unit.path), enabled")
    }

    /// What takes a mask away, which lies where who set it wanted it.
    private static func unmasking(_ path: String) -> String {
        if path.hasPrefix("/etc/") { return "systemctl unmask nudged" }
        return path.hasPrefix("/run/") ? "systemctl unmask --runtime nudged" : "install the package again"
    }

    // MARK: Settings

    /// A setting of the unit as it is shipped, and what happens without it.
    private struct Wanted: Sendable {
        let line: String
        let without: String
        let isSet: @Sendable (UnitSettings) -> Bool
    }

    private static let wanted = [
        Wanted(line: "Type=notify", without: "systemd does not know when it is ready, nor what it waits for") {
            ["notify", "notify-reload"].contains($0["Service.Type"])
        },
        Wanted(line: "WatchdogSec=120", without: "a daemon that hangs is not restarted") {
            $0.hasTime("Service.WatchdogSec")
        },
        Wanted(line: "Restart=always", without: "a daemon that ends is not started again") {
            $0["Service.Restart"] == "always"
        },
        Wanted(line: "LimitCORE=0", without: "a core dump would hold the signing key") {
            $0["Service.LimitCORE"] == "0"
        },
        Wanted(line: "DynamicUser=yes", without: "it runs as root") {
            $0.isTrue("Service.DynamicUser") || ($0["Service.User"].map { $0 != "root" && $0 != "0" } ?? false)
        },
        Wanted(line: "ExecReload=/usr/bin/nudged reload", without: "systemctl reload does not work") {
            $0["Service.ExecReload"] != nil
        },
    ]

    private var settings: [Finding] {
        guard hasSystemd, let unit, !unit.isMasked else { return [] }
        var found = Self.wanted.filter { !$0.isSet(unit) }.map { wanted in
            Self.settingsPlace.warning(
                "the unit is without \(wanted.line): \(wanted.without)",
                mend: "systemctl edit nudged, and write it under [Service]"
            )
        }
        if unit["Unit.StartLimitIntervalSec"] != "0" {
            found.append(
                Self.settingsPlace.warning(
                    "the unit has a start limit: after a few failures in a row systemd gives up",
                    mend: "systemctl edit nudged, and write StartLimitIntervalSec=0 under [Unit]"
                )
            )
        }
        return found.isEmpty
            ? [Self.settingsPlace.ok("watchdog \(unit["Service.WatchdogSec"] ?? ""), restarts always, no core dumps")]
            : found
    }

    /// Who looks by sudo reads what the unit's own user can't. Of a user or a group that the unit names it is not known here what it may read.
    private var unreadable: [Finding] {
        guard hasSystemd, let unit, unit.isTrue("Service.DynamicUser"), let file = configuration,
            ["User", "Group", "SupplementaryGroups"].allSatisfy({ unit["Service.\($0)"] == nil }),
            !(unit["Service.ExecStart"] ?? "").contains("--config"), !(file.isOpen && file.isFolderOpen)
        else { return [] }
        let folder = file.path.lastIndex(of: "/").map { String(file.path[..<$0]) } ?? file.path
        let (what, mend) =
            file.isOpen
            ? ("enter \(folder)", "chmod 755 \(folder)")
            : (
                "read \(file.path) (mode \(file.modeWords))",
                "move its secrets into credentials (LoadCredential=), then chmod 644 \(file.path)"
            )
        return [
            Self.settingsPlace.error(
                "the unit's user can't \(what): the service does not start",
                mend: mend,
                .permission
            )
        ]
    }

    // MARK: Processes

    private func running(_ work: Known<WorkStanding>) -> Finding {
        switch process {
        case .none:
            if case .value(let work) = work, let row = StatusPage(work).alive.first(where: { $0.host == host }) {
                if isNudged(row.pid), hasSystemd { return Self.unattended(row.pid) }
                return Self.processPlace.unchecked(
                    "process \(row.pid) says that it runs on this host, and is not seen from here: in a container, or just ended"
                )
            }
            return Self.processPlace.ok("no daemon runs on this machine")
        case .hidden: return Self.processPlace.unchecked("only root sees what runs here: run it by sudo")
        case .running(let id, nil) where hasSystemd: return Self.unattended(id)
        case .running(let id, let unit):
            return Self.processPlace.ok("process \(id)" + (unit.map { ", run by systemd as \($0)" } ?? ""))
        }
    }

    private static func unattended(_ process: Int32) -> Finding {
        processPlace.warning(
            "process \(process) is a daemon, and not systemd's: nobody restarts it",
            mend: "end it, and systemctl start nudged"
        )
    }

    /// By the rows that daemons write.
    private static func alive(_ work: WorkStanding) -> Finding {
        let page = StatusPage(work)
        let alive = page.alive
        guard !alive.isEmpty else {
            return daemonsPlace.warning(
                "no daemon is alive on this database: nobody is nudged",
                mend: "systemctl start nudged; journalctl -u nudged says what keeps it from running"
            )
        }
        let names = alive.map { "process \($0.pid) on \($0.host)" }.joined(separator: ", ")
        let versions = Set(alive.map(\.version)).sorted()
        guard versions.count == 1 else {
            return daemonsPlace.warning(
                "\(alive.count) are alive, of versions \(versions.joined(separator: " and ")): \(names)",
                mend: "finish the upgrade: they should be of one version within a day"
            )
        }
        if page.status == .temporary {
            return daemonsPlace.error(
                "a lane of a daemon is stopped: Apple refuses its configuration",
                mend: "nudged status says Apple's reason and the mend",
                .configuration
            )
        }
        return daemonsPlace.ok("\(alive.count) alive, version \(versions[0]): \(names)")
    }
}

extension ServiceFacts {
    /// Looks at this machine.
    ///
    /// - Parameter root: what stands for `/`, but for the running processes.
    init(environment: [String: String], root: String = "") {
        hasSystemd = Folder.has("\(root)/run/systemd/system")
        unit = UnitSettings(unit: Self.unitName, root: root)
        isEnabled = Folder.has("\(root)/etc/systemd/system/multi-user.target.wants/\(Self.unitName)")
        let file = SecretFile(lookingAt: root + ConfigurationLoader.defaultPath)
        configuration = file.mode == nil ? nil : file
        host = HostName.own
        isNudged = Self.isNudged
        do throws(ReloadError) {
            let id = try ReloadRun(environment: environment).daemon()
            process = .running(id, unit: Self.unit(of: id))
        } catch {
            if case .mayNot = error { process = .hidden } else { process = .none }
        }
    }

    private static func isNudged(_ process: Int32) -> Bool {
        let name = try? Credentials.readText("/proc/\(process)/comm", limit: 64, mayBeWorldReadable: true)
        return name == "nudged\n" || name == "nudged"
    }

    /// From its control group, `0::/system.slice/nudged.service`.
    private static func unit(of process: Int32) -> String? {
        let text = try? Credentials.readText("/proc/\(process)/cgroup", limit: 65_536, mayBeWorldReadable: true)
        return text.flatMap(unit(inGroups:))
    }

    static func unit(inGroups text: String) -> String? {
        let names = text.split(separator: "\n").flatMap { $0.split(separator: "/") }
        return names.last { $0.hasSuffix(".service") }.map(String.init)
    }
}
