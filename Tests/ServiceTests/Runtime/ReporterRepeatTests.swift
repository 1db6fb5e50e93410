import Systemd
import Testing

@testable import Core
@testable import Service

import struct FoundationEssentials.UUID

@Suite struct ReporterRepeatTests {
    @Test func rejections_whenThousandsCome_areAFewLinesAndTheirCount() throws {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        for _ in 0..<3_000 {
            reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "Unregistered", status: 410))
        }
        reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "BadTopic", status: 400))
        let said = try #require(Event.pushRejected.repeats?.lines)
        #expect(lines.all.count == said + 1)
        reporter.tellRepeats()
        #expect(lines.all.count == said + 1)
        reporter.tellAllRepeats()
        let last = try #require(lines.all.last)
        #expect(
            lines.all.count == said + 2 && last.contains("2,995 more like it") && last.contains("Unregistered"),
            "\(last)"
        )
        #expect(lines.fields.last?["repeats"] == "2995" && lines.fields.last?["event"] == "push_rejected")
    }

    /// The record's own hash of a device is never in the journal.
    @Test func devices_areCalledByAKeyedHash() throws {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        reporter.callDevices(by: DeviceNames(secret: "key"))
        reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "Unregistered", status: 410))
        reporter.sweep(.unknown(user: UUID(), kind: "check_in", deviceHash: "0123456789abcdef", reason: "timeout"))
        #expect(
            lines.fields.map { $0["device"] }
                == Array(repeating: DeviceNames(secret: "key").name("0123456789abcdef"), count: 2)
        )
        #expect(!lines.fields.contains { $0.values.contains { $0.contains("0123456789abcdef") } })
    }
}
