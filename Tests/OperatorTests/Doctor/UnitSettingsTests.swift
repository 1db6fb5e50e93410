import Foundation
import TestSupport
import Testing

@testable import Operator

@Suite struct UnitSettingsTests {
    private static func unit(_ texts: String...) -> UnitSettings { UnitSettings(path: "/unit", texts: texts) }

    /// The last setting counts, an empty one removes those before it, and `\` continues a line.
    @Test func values_areReadAsSystemdDoes() {
        let unit = Self.unit("[Service]\nType = simple\nWatchdogSec=5\n# Type=no\n; Type=no\nType=notify \n")
        #expect(unit["Service.Type"] == "notify" && unit["Service.WatchdogSec"] == "5" && unit["Unit.Type"] == nil)
        let first = "[Service]\nExecReload=/a\nRestart=always\n"
        let changed = Self.unit(first, "[Service]\nExecReload=\n", "[Service]\nRestart=no\n")
        #expect(changed["Service.ExecReload"] == nil && changed["Service.Restart"] == "no")
        let started = Self.unit("[Service]\nExecStart=/a \\\n# why\n  b\nUser=x\n")["Service.ExecStart"]
        #expect(started?.hasSuffix("b") == true)
        #expect(Self.unit("[Service]\nExecStart=/a \\\n  b\nUser=x\n")["Service.User"] == "x")
    }

    @Test(arguments: [
        ("120", true), ("2min", true), ("10s 500ms", true), ("0", false), ("infinity", false), ("0s", false),
        ("", false),
    ]) func time_isSetWhereItEnds(text: String, expected: Bool) {
        #expect(Self.unit("[Service]\nWatchdogSec=\(text)\n").hasTime("Service.WatchdogSec") == expected)
    }

    /// Of the same name the administrator's drop-in counts, and the last name wins.
    @Test func unit_whenItLiesInSeveralFolders_isTheFirst() throws {
        let root = try TemporaryFolder()
        defer { root.remove() }
        func write(_ path: String, _ text: String) throws { try root.write(text, to: path) }
        #expect(UnitSettings(unit: "a.service", root: root.path) == nil)
        try write("usr/lib/systemd/system/a.service", "[Service]\nType=notify\nUser=vendor\nGroup=vendor\n")
        try write("usr/lib/systemd/system/a.service.d/10-a.conf", "[Service]\nUser=overridden\n")
        try write("etc/systemd/system/a.service.d/10-a.conf", "[Service]\nUser=ours\n")
        try write("run/systemd/system/a.service.d/20-b.conf", "[Service]\nGroup=last\n")
        try write("etc/systemd/system/a.service.d/notes.txt", "[Service]\nType=oneshot\n")
        let unit = try #require(UnitSettings(unit: "a.service", root: root.path))
        #expect(unit.path == "/usr/lib/systemd/system/a.service")
        #expect([unit["Service.Type"], unit["Service.User"], unit["Service.Group"]] == ["notify", "ours", "last"])
        try write("etc/systemd/system/a.service", "[Service]\nType=exec\n")
        #expect(UnitSettings(unit: "a.service", root: root.path)?["Service.Type"] == "exec")
        #expect(UnitSettings(unit: "a.service", root: root.path)?.isMasked == false)
        // A link into a folder that is gone.
        let dangling = root.path + "/etc/systemd/system/b.service"
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "/nowhere/b.service")
        #expect(UnitSettings(unit: "b.service", root: root.path) == nil)
        try write("usr/lib/systemd/system/b.service", "[Service]\nType=notify\n")
        #expect(UnitSettings(unit: "b.service", root: root.path)?.path == "/usr/lib/systemd/system/b.service")
        // As systemctl mask leaves it, and as systemd.unit(5) has it besides.
        let own = root.path + "/etc/systemd/system/a.service"
        try FileManager.default.removeItem(atPath: own)
        try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: "/dev/null")
        let masked = UnitSettings(unit: "a.service", root: root.path)
        #expect(masked?.isMasked == true && masked?.path == "/etc/systemd/system/a.service")
        try FileManager.default.removeItem(atPath: own)
        try write("etc/systemd/system/a.service", "")
        #expect(UnitSettings(unit: "a.service", root: root.path)?.isMasked == true)
    }
}
