import Glibc

import class FoundationEssentials.ProcessInfo

/// The account that runs the server. PostgreSQL refuses root, so root uses `postgres`, else `nobody`.
struct ServerAccount {
    /// nil if this process isn't root; then the server runs under its account.
    private let other: (user: UInt32, group: UInt32)?

    static func current() throws(LocalPostgresError) -> ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(other: nil) }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) { return ServerAccount(other: (entry.pointee.pw_uid, entry.pointee.pw_gid)) }
        }
        throw LocalPostgresError(.notInstalled, "no account postgres or nobody to run the server as")
    }

    func command(_ program: String) -> [String] {
        guard let other else { return [program] }
        return ["setpriv", "--reuid", "\(other.user)", "--regid", "\(other.group)", "--clear-groups", "--", program]
    }

    /// Makes a folder that only this process and the account can enter: in TMPDIR, if the account can reach it and the
    /// socket's path fits (107 bytes), else in memory if that is asked for and there is room, or in /tmp.
    func makeFolder(inMemory: Bool) throws(LocalPostgresError) -> String {
        let given = ProcessInfo.processInfo.environment["TMPDIR"]
        let wanted = given ?? (inMemory && Self.hasMemory ? Self.memory : "/tmp")
        let parent = wanted.hasPrefix("/") && wanted.utf8.count <= 60 && isReachable(wanted) ? wanted : "/tmp"
        var template = Array("\(parent)/nudged-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("mkdtemp in \(parent)") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // It stays ours, and is sticky: nudged trusts no file in a folder that another account owns.
        if let other, chown(folder, 0, other.group) != 0 || chmod(folder, 0o1770) != 0 { throw .system(folder) }
        return folder
    }

    /// A file system in memory. A test's database has 600 files, which a disk makes and removes slowly.
    private static let memory = "/dev/shm"

    /// Whether 2 GB are free there. (A container may have only 64 MB.)
    private static var hasMemory: Bool {
        var info = statvfs()
        return statvfs(memory, &info) == 0 && UInt64(info.f_bavail) * UInt64(info.f_frsize) >= 2_000_000_000
    }

    func own(_ path: String) throws(LocalPostgresError) {
        guard let other else { return }
        guard chown(path, other.user, other.group) == 0 else { throw .system("chown \(path)") }
    }

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

struct ServerPrograms {
    private let folder: String

    static func find() throws(LocalPostgresError) -> ServerPrograms {
        let root = "/usr/lib/postgresql"
        let versions = ProcessTable.names(in: root).compactMap { Int($0) }.sorted(by: >)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let paths = versions.map { "\(root)/\($0)/bin" } + path.split(separator: ":").map(String.init)
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
}

/// A free TCP port of 127.0.0.1. If another process takes it first, the start fails. Linux hands out higher ones by
/// itself (ip_local_port_range), so no connection gets it before the server starts.
enum FreePort {
    static func find() throws(LocalPostgresError) -> Int {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw LocalPostgresError(.fileSystem, "socket") }
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isFree = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return Int(port) }
        }
        throw LocalPostgresError(.fileSystem, "no free port on 127.0.0.1")
    }
}
