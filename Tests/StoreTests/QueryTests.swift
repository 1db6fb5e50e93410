import Foundation
import Testing

@testable import Store

/// The list of statements and the folder are the same.
@Suite struct QueryTests {
    @Test func queries_whenAFileIsThere_haveOneLine() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let code = try String(contentsOf: root.appending(path: "Sources/Store/Query.swift"), encoding: .utf8)
        let files = try FileManager.default.contentsOfDirectory(
            at: root.appending(path: "sql/queries"),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "sql" }.map { $0.deletingPathExtension().lastPathComponent }
        for name in files {
            #expect(
                code.ranges(of: "\"\(name)\"").count == 1 && code.ranges(of: "SQL.\(name)_sql").count == 1,
                "\(name)"
            )
        }
        #expect(code.ranges(of: "static let").count == files.count)
    }

    @Test func query_isTheFilesText() {
        #expect(Query.clock.name == "clock" && Query.clock.sql.contains("clock_timestamp()"))
        #expect(Query.clock == .clock && Query.clock != .drain)
    }
}
