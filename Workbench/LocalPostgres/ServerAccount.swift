import Glibc

/// The account that runs the server. PostgreSQL refuses root, so root uses `postgres`, else `nobody`.
struct ServerAccount {
    /// nil if this process isn't root; then the server runs under its account.
    private let other: (user: UInt32, group: UInt32)?

    static func current() throws(LocalPostgresError) -> ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(other: nil) }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) {
                return ServerAccount(other: (entry.pointee.pw_uid, entry.pointee.pw_gid))
            }
        }
        throw LocalPostgresError(.notInstalled, "no account postgres or nobody to run the server as")
    }

    /// The command line that runs a program as the account.
    func command(_ program: String) -> [String] {
        guard let other else { return [program] }
        return ["setpriv", "--reuid", "\(other.user)", "--regid", "\(other.group)", "--clear-groups", "--", program]
    }

    /// Makes a folder that only this process and the account can enter: in TMPDIR if it is set, the account can reach it
    /// and the socket's path fits (107 bytes). Else it is in memory if the caller asks for it and there is room, or in
    /// /tmp.
    func makeFolder(inMemory: Bool) throws(LocalPostgresError) -> String {
        let wanted = SpawnPlan.inheritedEnvironment()["TMPDIR"] ?? (inMemory && Self.hasMemory ? Self.memory : "/tmp")
        let parent = wanted.hasPrefix("/") && wanted.utf8.count <= 60 && isReachable(wanted) ? wanted : "/tmp"
        var template = Array("\(parent)/nudged-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LocalPostgresError(.fileSystem, "mkdtemp in \(parent): \(String(cString: strerror(errno)))")
        }
        let folder = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        // It stays ours, and is sticky: nudged trusts no file in a folder that another account owns.
        if let other, chown(folder, 0, other.group) != 0 || chmod(folder, 0o1770) != 0 {
            throw LocalPostgresError(.fileSystem, "\(folder): \(String(cString: strerror(errno)))")
        }
        return folder
    }

    /// A file system in memory. A test's database has 600 files, which a disk makes and removes slowly.
    private static let memory = "/dev/shm"

    /// Whether 2 GB are free there. (A container may have only 64 MB.)
    private static var hasMemory: Bool {
        var info = statvfs()
        return statvfs(memory, &info) == 0 && UInt64(info.f_bavail) * UInt64(info.f_frsize) >= 2_000_000_000
    }

    /// Gives a file to the account.
    func own(_ path: String) throws(LocalPostgresError) {
        guard let other else { return }
        guard chown(path, other.user, other.group) == 0 else {
            throw LocalPostgresError(.fileSystem, "chown \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Removes a folder with all in it.
    static func remove(_ folder: String) {
        // A failure only leaves a folder in /tmp.
        _ = try? ChildProcess.run(["rm", "-rf", "--", folder], directory: "/")
    }

    /// Whether every account can pass through all folders of the path.
    private func isReachable(_ path: String) -> Bool {
        guard other != nil else { return true }
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/\(part)"
            var info = stat()
            guard stat(prefix, &info) == 0, info.st_mode & 0o001 != 0 else { return false }
        }
        return true
    }
}
