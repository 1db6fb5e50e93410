import Foundation

/// Runs programs in Python that follow the same rules.
package enum Python {
    /// Gives `lines` to a program, and returns the lines that it prints.
    package static func answers(_ arguments: [String], to lines: [String], environment: [String: String] = [:])
        throws -> [String]
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Files, not pipes: no side can block the other.
        let input = try folder.write(lines.map { $0 + "\n" }.joined(), to: "in")
        let output = try folder.write("", to: "out")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        process.waitUntilExit()
        return try folder.text("out").split(separator: "\n").map(String.init)
    }
}
