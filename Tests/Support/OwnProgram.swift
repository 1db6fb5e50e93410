import Glibc

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

    private static let path = "/proc/self/exe".resolved ?? CommandLine.arguments[0]

    /// Where the build puts its programs.
    package static let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }

    package static var environment: [String: String] {
        var found: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            found[String(pair[0])] = String(pair[1])
            entry += 1
        }
        return found
    }
}

extension String {
    fileprivate var resolved: String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink(self, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
