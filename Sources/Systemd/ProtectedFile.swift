package import Base
import CLinux
import Glibc

/// A file that others can't change: a configuration or a key. It belongs to root or to the user who runs this process,
/// and neither its group nor others may write to it. The same holds for its folder and for all folders above, as sshd
/// asks it of its files (StrictModes), so that nobody can put another file in its place. A folder with the sticky bit,
/// such as /tmp, may be open to all: there, only owners replace what is theirs. So may a folder that is a read-only mount
/// of its own, such as a ConfigMap of Kubernetes: it has mode 0777, and who mounted it answers for what is in it.
package struct ProtectedFile: Sendable {
    /// Without trailing line breaks and spaces.
    package let content: Secret
    package let isWorldReadable: Bool

    /// A copy of the content, which nothing overwrites. Not for secrets.
    package var text: String { content.text }

    /// Reads the file. If the path is a link, the checks are of the file that it leads to, and of that file's folder.
    /// `limit`: The largest size, in bytes.
    /// - Throws: All codes of `SystemdError` except `worldReadable`.
    package init(reading path: String, limit: Int, user: UInt32 = geteuid()) throws(SystemdError) {
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
        guard facts.st_uid == 0 || facts.st_uid == user else { throw SystemdError(.foreign, path, facts: facts) }
        guard facts.st_mode & 0o022 == 0 else { throw SystemdError(.writable, path, facts: facts) }
        try Self.check(folder, folderPath, of: path, user)
        try Self.checkParents(of: folderPath, of: path, user)
        content = try Credentials.readAll(file, path, limit)
        isWorldReadable = facts.st_mode & 0o004 != 0
    }

    /// Checks the folders above one. Each is opened by its own path, which has no links: who could change it meanwhile
    /// would have to be one of those who are trusted.
    private static func checkParents(of folder: String, of path: String, _ user: uid_t) throws(SystemdError) {
        var rest = folder
        while rest != "/", let slash = rest.lastIndex(of: "/") {
            rest = slash == rest.startIndex ? "/" : String(rest[..<slash])
            let parent = open(rest, Int32(nudged_open_path) | O_DIRECTORY | O_CLOEXEC)
            guard parent >= 0 else { throw SystemdError(opening: path, cause: errno) }
            defer { close(parent) }
            try check(parent, rest, of: path, user)
        }
    }

    private static func check(_ opened: Int32, _ folder: String, of path: String, _ user: uid_t) throws(SystemdError) {
        let facts = try facts(opened, path)
        guard facts.st_uid == 0 || facts.st_uid == user else {
            throw SystemdError(.foreignFolder, path, folder: folder, facts: facts)
        }
        // In a folder with the sticky bit only owners can replace files.
        guard facts.st_mode & 0o022 == 0 || facts.st_mode & 0o1000 != 0 || nudged_is_read_only_mount(opened) != 0
        else { throw SystemdError(.replaceable, path, folder: folder, facts: facts) }
    }

    private static func target(of path: String) throws(SystemdError) -> String {
        guard let found = realpath(path, nil) else {
            let cause = errno
            // A pipe of the shell, such as /dev/fd/63, has no path.
            throw access(path, F_OK) == 0 ? SystemdError(.notAFile, path) : SystemdError(opening: path, cause: cause)
        }
        defer { free(found) }
        return String(cString: found)
    }

    static func facts(_ descriptor: Int32, _ path: String) throws(SystemdError) -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw SystemdError(.unreadable, path, cause: errno) }
        return facts
    }
}
