import Configuration
import Core
import Glibc
import Service
import Systemd

import class FoundationEssentials.FileManager

struct ServiceFacts: Sendable {
    enum Process: Sendable, Equatable {
        case none
        case hidden
        /// The process id, and the systemd unit that runs it. Nil: no unit, or it can't be read.
        case running(Int32, unit: String?)
    }

    let hasSystemd: Bool
    let unit: UnitSettings?
    let isEnabled: Bool
    var configuration: SecretFile?
    let process: Process
    /// This machine's name, as daemons write it to the database.
    var host = ""
    var isNudged: @Sendable (_ process: Int32) -> Bool = { _ in false }

    static let unitName = "nudged.service"

    func findings(work: Known<WorkStatus>) -> [Finding] {
        let unit = [("unit", installed)] + (settings + unreadable).map { ("settings", $0) }
        let daemons = [("process", running(work))] + work.findings(Self.alive).map { ("daemons", $0) }
        return (unit + daemons).map { $0.1.of(.service, $0.0) }
    }

    private var installed: Finding {
        guard hasSystemd else { return .unchecked("this machine does not run systemd") }
        guard let unit else { return .unchecked("no \(Self.unitName) is installed here; the daemon may run elsewhere") }
        if unit.isMasked {
            let (own, passing) = ("systemctl unmask nudged", "systemctl unmask --runtime nudged")
            let other = unit.path.hasPrefix("/run/") ? passing : "install the package again"
            return .warning("\(unit.path) masks the unit: nothing can start it")
                .fix("\(unit.path.hasPrefix("/etc/") ? own : other), then systemctl enable --now nudged")
        }
        guard isEnabled else {
            return .warning("\(unit.path) is not enabled: after a restart of this machine no daemon runs")
                .fix("systemctl enable --now nudged")
        }
        return .ok("\(unit.path), enabled")
    }

    private static let wanted: [(line: String, without: String, isSet: @Sendable (UnitSettings) -> Bool)] = [
        (
            "Type=notify", "systemd does not know when the daemon is ready",
            { ["notify", "notify-reload"].contains($0["Service.Type"]) }
        ),
        ("WatchdogSec=120", "a daemon that hangs is not restarted", { $0.hasTime("Service.WatchdogSec") }),
        ("Restart=always", "a daemon that ends is not started again", { $0["Service.Restart"] == "always" }),
        ("LimitCORE=0", "a core dump would hold the signing key", { $0["Service.LimitCORE"] == "0" }),
        (
            "DynamicUser=yes", "the daemon runs as root",
            { $0.isTrue("Service.DynamicUser") || !["root", "0", nil].contains($0["Service.User"]) }
        ),
        ("ExecReload=/usr/bin/nudged reload", "systemctl reload does not work", { $0["Service.ExecReload"] != nil }),
    ]

    private var settings: [Finding] {
        guard hasSystemd, let unit, !unit.isMasked else { return [] }
        var found = Self.wanted.filter { !$0.isSet(unit) }.map { wanted in
            Finding.warning("the unit lacks \(wanted.line): \(wanted.without)")
                .fix("run systemctl edit nudged, and write it under [Service]")
        }
        let limit = Finding.warning("the unit has a start limit: after a few failed starts systemd stops trying")
            .fix("run systemctl edit nudged, and write StartLimitIntervalSec=0 under [Unit]")
        found += limit.when(unit["Unit.StartLimitIntervalSec"] != "0")
        let fine = Finding.ok("watchdog \(unit["Service.WatchdogSec"] ?? ""), restarts always, no core dumps")
        return found.isEmpty ? [fine] : found
    }

    /// Doctor may run as root. What a user or group that the unit names may read is not known here.
    private var unreadable: [Finding] {
        guard hasSystemd, let unit, unit.isTrue("Service.DynamicUser"), let file = configuration,
            ["User", "Group", "SupplementaryGroups"].allSatisfy({ unit["Service.\($0)"] == nil }),
            !(unit["Service.ExecStart"] ?? "").contains("--config"), !(file.isOpen && file.isFolderOpen)
        else { return [] }
        let folder = file.path.lastIndex(of: "/").map { String(file.path[..<$0]) } ?? file.path
        let move = "move its secrets into credentials (LoadCredential=), then chmod 644 \(file.path)"
        let what = file.isOpen ? "enter \(folder)" : "read \(file.path) (mode \(file.modeText))"
        let fix = file.isOpen ? "chmod 755 \(folder)" : move
        return [.error("the unit's user can't \(what): the service does not start", .permission).fix(fix)]
    }

    private func running(_ work: Known<WorkStatus>) -> Finding {
        switch process {
        case .none:
            if case .success(let work) = work, let row = StatusPage(work).alive.first(where: { $0.host == host }) {
                if isNudged(row.pid), hasSystemd { return Self.unattended(row.pid) }
                let listed = "the database lists process \(row.pid) on this host"
                return .unchecked("\(listed), but it can't be seen: it runs in a container, or has just ended")
            }
            return .ok("no daemon runs on this machine")
        case .hidden: return .unchecked("only root sees what runs here: run doctor with sudo")
        case .running(let id, nil) where hasSystemd: return Self.unattended(id)
        case .running(let id, let unit): return .ok("process \(id)" + (unit.map { ", run by systemd as \($0)" } ?? ""))
        }
    }

    private static func unattended(_ process: Int32) -> Finding {
        .warning("process \(process) is a daemon that systemd does not run: nothing restarts it")
            .fix("end it, then systemctl start nudged")
    }

    private static func alive(_ work: WorkStatus) -> Finding {
        let page = StatusPage(work)
        let alive = page.alive
        guard !alive.isEmpty else {
            return .warning("no daemon of this database is alive: nothing is sent")
                .fix("systemctl start nudged; if it does not run, journalctl -u nudged says why")
        }
        let names = alive.map { "process \($0.pid) on \($0.host)" }.joined(separator: ", ")
        let versions = Set(alive.map(\.version)).sorted()
        guard versions.count == 1 else {
            let different = "with versions \(versions.joined(separator: " and "))"
            return .warning("\(alive.count) daemons are alive, \(different): \(names)")
                .fix("finish the upgrade within a day")
        }
        if page.status == .temporary {
            return .error("a lane of a daemon is stopped: Apple refuses its configuration")
                .fix("nudged status says Apple's reason and the fix")
        }
        if page.status == .failure { return .error(page.answer.sentence, .unavailable).fix(page.answer.fix) }
        return .ok("\(alive.count) alive, version \(versions[0]): \(names)")
    }
}

extension ServiceFacts {
    init(environment: [String: String]) {
        (hasSystemd, host) = (Folder.has("/run/systemd/system"), HostName.own)
        unit = UnitSettings(unit: Self.unitName)
        isEnabled = Folder.has("/etc/systemd/system/multi-user.target.wants/\(Self.unitName)")
        let file = SecretFile(lookingAt: ConfigurationLoader.defaultPath)
        configuration = file.mode == nil ? nil : file
        isNudged = { ["nudged\n", "nudged"].contains(try? Credentials.readText("/proc/\($0)/comm", limit: 64)) }
        do throws(CommandFailure) {
            let id = try LocalDaemon(environment: environment).process()
            let groups = try? Credentials.readText("/proc/\(id)/cgroup", limit: 65_536)
            process = .running(id, unit: groups.flatMap(Self.unit(inGroups:)))
        } catch {
            process = error.exitStatus == .permission ? .hidden : .none
        }
    }

    static func unit(inGroups text: String) -> String? {
        let names = text.split(separator: "\n").flatMap { $0.split(separator: "/") }
        return names.last { $0.hasSuffix(".service") }.map(String.init)
    }
}

/// systemd.unit(5): the unit from the first folder that has it, then its drop-ins by name, each also from the first
/// folder. A later setting wins. An empty one removes all settings of that name before it.
struct UnitSettings: Sendable, Equatable {
    let path: String
    /// Nothing can start the unit: its file is a link to /dev/null, or empty.
    let isMasked: Bool
    /// By `Section.Key`.
    private(set) var values: [String: String] = [:]

    subscript(_ name: String) -> String? { values[name] }

    func hasTime(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        return value != "infinity" && value.contains { $0.isNumber && $0 != "0" }
    }

    func isTrue(_ key: String) -> Bool { ["1", "yes", "true", "on", "y", "t"].contains(self[key]?.lowercased() ?? "") }

    init(path: String, texts: [String], isMasked: Bool = false) {
        (self.path, self.isMasked) = (path, isMasked)
        for text in texts { take(text) }
    }

    private mutating func take(_ text: String) {
        var section = ""
        var begun = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            // systemd skips a comment between continued lines.
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasSuffix("\\") {
                begun += line.dropLast() + " "
                continue
            }
            let whole = begun + line
            begun = ""
            if whole.hasPrefix("["), let end = whole.firstIndex(of: "]") {
                section = String(whole[whole.index(after: whole.startIndex)..<end])
            } else if let equals = whole.firstIndex(of: "=") {
                let key = whole[..<equals].filter { $0 != " " && $0 != "\t" }
                let value = whole[whole.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
                let trimmed = String(value.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
                values["\(section).\(key)"] = trimmed.isEmpty ? nil : trimmed
            }
        }
    }

    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// - Parameter root: a folder in place of `/`, for tests.
    init?(unit: String, root: String = "") {
        // A broken link counts as no file.
        let all = Self.folders.lazy.map { (path: "\($0)/\(unit)", text: Self.text("\(root)\($0)/\(unit)")) }
        guard let (path, text) = all.first(where: { $0.text != nil || Self.isMask(root + $0.path) }) else { return nil }
        guard let text, !Self.isMask(root + path) else {
            self.init(path: path, texts: [], isMasked: true)
            return
        }
        var dropIns: [String: String] = [:]
        for folder in Self.folders.map({ "\(root)\($0)/\(unit).d" }) {
            for name in Folder.names(folder) where name.hasSuffix(".conf") && dropIns[name] == nil {
                dropIns[name] = "\(folder)/\(name)"
            }
        }
        self.init(path: path, texts: [text] + dropIns.sorted { $0.key < $1.key }.compactMap { Self.text($0.value) })
    }

    private static func isMask(_ path: String) -> Bool {
        guard let facts = Folder.facts(path) else { return false }
        return facts.st_mode & S_IFMT == S_IFCHR || facts.st_mode & S_IFMT == S_IFREG && facts.st_size == 0
    }

    private static func text(_ path: String) -> String? { try? Credentials.readText(path, limit: 1 << 20) }
}

enum Folder {
    /// The names in a folder, sorted, without hidden ones. Empty if it can't be listed.
    static func names(_ path: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Of what is there, behind a link too. Nil with `errno`: it can't be looked at.
    static func facts(_ path: String) -> stat? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts : nil
    }

    /// A broken link counts.
    static func has(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0
    }
}
