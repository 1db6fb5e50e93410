import Glibc
import LocalPostgres

extension LocalCluster {
    /// The server's processes, the postmaster first.
    func serverProcesses() -> [Int32] {
        guard let postmaster = serverID else { return [] }
        return [postmaster] + Self.children(of: postmaster)
    }

    /// From /proc: in stat, the fourth field is the parent's number, after the name in parentheses.
    private static func children(of parent: Int32) -> [Int32] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let id = Int32(name), let text = SmallFile.read("/proc/\(id)/stat"),
                let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 1
            else { continue }
            if Int32(fields[1]) == parent { found.append(id) }
        }
        return found
    }

    /// SIGKILL to the postmaster, like a crash. Returns when its children are gone too, so that a new server has the
    /// files alone.
    func crash() async throws {
        let all = serverProcesses()
        halt(.kill)
        let end = ContinuousClock.now + Stage.net
        while all.contains(where: { kill($0, 0) == 0 }) {
            guard ContinuousClock.now < end else { throw FaultError("backends of a killed postmaster still run") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
