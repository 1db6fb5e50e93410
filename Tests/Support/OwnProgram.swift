import Foundation

/// This process's own program, for a test that runs one test in a process of its own.
package enum OwnProgram {
    /// The program and its arguments, without the tests that were chosen.
    package static let arguments: [String] = {
        var arguments = CommandLine.arguments
        for option in ["--filter", "--skip"] {
            while let index = arguments.firstIndex(of: option), index + 1 < arguments.count {
                arguments.removeSubrange(index...(index + 1))
            }
        }
        return [path] + arguments.dropFirst()
    }()

    private static let path =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]

    /// Where the build puts its programs.
    package static let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }

    package static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
