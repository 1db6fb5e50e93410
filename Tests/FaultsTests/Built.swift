import Glibc

/// What the build has put beside the test bundle.
enum Built {
    /// A program's path.
    static func path(_ name: String) -> String { folder + "/" + name }

    /// The policy's second reading.
    static let reference =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/Reference/policy_reference.py"

    private static let folder: String = {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }()
}
