import Chaos
import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct RunTests {
    @Test func run_isClean_whenItIsShort() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("chaos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try ChaosRun(seed: Seeds.extra, seconds: 3, rate: 300, folder: folder.path)
        let report = await run.run()
        // Memory and descriptors belong to the whole process, which runs other tests too. Only the command checks them.
        let broken = report.books.violations.filter { $0.key != .growth }
        #expect(broken.isEmpty, "\(report.line)")
        #expect(report.books.sent == 900)
        #expect(report.books.logged > 0, "\(report.line)")
    }
}
