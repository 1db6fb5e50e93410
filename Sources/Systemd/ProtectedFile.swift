import CLinux
import Glibc

/// A text file that others can't change. It belongs to root or to the user who runs this process. Neither its group nor
/// others may write to it, nor replace it in its folder.
public struct ProtectedFile: Sendable {
    /// Without trailing line breaks and spaces.
    public let text: String
    /// Whether every user of the machine can read it.
    public let isWorldReadable: Bool

    /// Reads the file. If the path is a link, the checks are of the file that it leads to, and of that file's folder.
    ///
    /// - Parameter limit: The largest size, in bytes.
    /// - Throws: All codes of `SystemdError` except `worldReadable`.
    public init(reading path: String, limit: Int) throws(SystemdError) {
        try self.init(reading: path, limit: limit, user: geteuid())
    }

    /// - Parameter user: The user who runs this process.
    init(reading path: String, limit: Int, user: uid_t) throws(SystemdError) {
        let target = try Self.target(of: path)
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let folderPath = slash == target.startIndex ? "/" : String(target[..<slash])
        // The folder is opened first and the file in it. So all checks mean what is read, even if a path changes
        // meanwhile. O_PATH needs no right to list the folder.
        let folder = open(folderPath, Int32(nudged_open_path) | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SystemdError(opening: path, cause: errno) }
        defer { close(folder) }
        let name = String(target[target.index(after: slash)...])
        // O_NONBLOCK: opening a FIFO would otherwise block without end.
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard file >= 0 else { throw SystemdError(opening: path, cause: errno) }
        defer { close(file) }
        let facts = try Self.facts(file, path)
        guard facts.st_mode & S_IFMT == S_IFREG else { throw SystemdError(.notAFile, path) }
        let guarded = SystemdError.Guarded(path: path, mode: facts.st_mode, owner: facts.st_uid)
        guard facts.st_uid == 0 || facts.st_uid == user else { throw SystemdError(.foreign, path, guarded: guarded) }
        guard facts.st_mode & 0o022 == 0 else { throw SystemdError(.writable, path, guarded: guarded) }
        let around = try Self.facts(folder, path)
        // In a folder with the sticky bit only owners can replace files.
        guard around.st_mode & 0o022 == 0 || around.st_mode & 0o1000 != 0 else {
            let guarded = SystemdError.Guarded(path: folderPath, mode: around.st_mode, owner: around.st_uid)
            throw SystemdError(.replaceable, path, guarded: guarded)
        }
        text = try Credentials.readAll(file, path, limit).text
        isWorldReadable = facts.st_mode & 0o004 != 0
    }

    /// The absolute path without links.
    private static func target(of path: String) throws(SystemdError) -> String {
        guard let found = realpath(path, nil) else {
            let cause = errno
            // A pipe of the shell, such as /dev/fd/63, has no path.
            throw access(path, F_OK) == 0 ? SystemdError(.notAFile, path) : SystemdError(opening: path, cause: cause)
        }
        defer { free(found) }
        return String(cString: found)
    }

    private static func facts(_ descriptor: Int32, _ path: String) throws(SystemdError) -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw SystemdError(.unreadable, path, cause: errno) }
        return facts
    }
}
