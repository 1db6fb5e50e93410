import Glibc

/// Where PostgreSQL's server programs are.
struct ServerPrograms {
    private let folder: String

    /// Debian's newest version, else the first in PATH.
    static func find() throws(LocalPostgresError) -> ServerPrograms {
        let root = "/usr/lib/postgresql"
        let versions = names(in: root).compactMap { Int($0) }.sorted(by: >)
        let paths = versions.map { "\(root)/\($0)/bin" } + path()
        for folder in paths where ["initdb", "postgres"].allSatisfy({ access("\(folder)/\($0)", X_OK) == 0 }) {
            return ServerPrograms(folder: folder)
        }
        throw LocalPostgresError(.notInstalled, "no initdb in \(root) or PATH: apt-get install postgresql")
    }

    /// The path of a program of that version, else its name, to be found in PATH.
    func path(_ program: String) -> String {
        let path = "\(folder)/\(program)"
        return access(path, X_OK) == 0 ? path : program
    }

    private static func path() -> [String] {
        (SpawnPlan.inheritedEnvironment()["PATH"] ?? "").split(separator: ":").map(String.init)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names
    }
}
