import Glibc
import Testing
import TimeZones

@testable import Core
@testable import Service

@Suite struct ReporterZonesTests {
    private func unread(_ number: Int32, _ name: String) -> TimeZoneError {
        TimeZoneError(.unreadable, "/zones/\(name): \(String(cString: strerror(number)))", number: number)
    }

    @Test func zonesUnread_whenManyMeetTheSameFailure_isOneLineWithItsRemedy() throws {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        reporter.sweep(.zonesUnread(unread(EMFILE, "Asia/Tokyo"), users: 7))
        reporter.sweep(.zonesUnread(unread(EMFILE, "Europe/Berlin"), users: 5))
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1 && line.hasPrefix("error "), "\(lines.all)")
        for text in ["/zones/Asia/Tokyo: Too many open files", "7 users", "raise LimitNOFILE"] {
            #expect(line.contains(text), "\(line)")
        }
        reporter.sweep(.zonesUnread(unread(EACCES, "Europe/Berlin"), users: 5))
        #expect(lines.all.count == 2 && lines.all.last?.contains("let the daemon's user read it") == true)
    }

    @Test func zonesAre_whenFilesAreUnreadOrNone_saysSo() throws {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        reporter.zonesAre(ZoneDatabase().reload(), in: "/usr/share/zoneinfo")
        #expect(lines.all.isEmpty)
        reporter.zonesAre(ZoneDatabase(directory: "/nonexistent").reload(), in: "/nonexistent")
        // UTC needs no file.
        #expect(lines.all.count == 1 && lines.all.last?.contains("no time-zone files in /nonexistent") == true)
    }
}
